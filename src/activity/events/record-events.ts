import { type RawBuilder, sql } from 'kysely'
import type { Consumer, Fact, RecordedBy } from '#platform/facts/fact.ts'
import { kindsWhere } from './kinds.ts'
import { readFact, eventFacts } from './read-fact.ts'

const ofMembers = sql.raw(`'{${kindsWhere(({ filter }) => filter === 'user').join()}}'::integer[]`)

/** The rows of both consumers: an event for each namespace in which it happened. */
const rowsOf = (fact: Fact, { author, now }: RecordedBy): readonly object[] =>
  readFact(fact).flatMap(({ kind, target_id, details, person = author?.id, namespaces = [fact.namespace] }) =>
    person === undefined
      ? []
      : namespaces.map((namespace) => ({
          namespace,
          author: person,
          kind,
          target: target_id ?? null,
          details: details ?? null,
          at: now,
        })),
  )

/**
 * Those rows with their projects. What happened elsewhere is no event, nor is the membership of a bot or of the person
 * whose own project it is.
 */
const told = (rows: RawBuilder<unknown>) => sql`
  rows from (jsonb_to_recordset(${rows}) as (namespace bigint, author bigint, kind integer, target bigint, details jsonb,
      at timestamptz)) with ordinality as e (namespace, author, kind, target, details, at, place)
    cross join lateral (
      select p.id from projects p join namespaces n on n.id = p.project_namespace_id
        left join namespaces home on home.id = n.parent_id
        where p.project_namespace_id = e.namespace and (e.kind <> all(${ofMembers})
          or home.owner_id is distinct from e.author
            and exists (select 1 from users u where u.id = e.author and u.kind = 'human'))
        offset 0
    ) p`

/** Keeps activity events, in the statement that records the facts. */
export const recordEvents: Consumer = {
  name: 'activity_events',
  facts: eventFacts,
  rows: rowsOf,
  statement: (rows) => sql`
    insert into events (project_id, author_id, kind, target_id, details, created_at)
    select p.id, e.author, e.kind, e.target, nullif(e.details, 'null'), e.at from ${told(rows)} order by e.place
    returning project_id, author_id, kind`,
}

/**
 * Keeps which streams of events there are, those of the events that {@link recordEvents} has just kept. Whoever adds the first
 * event of one waits for another who adds it just then; in the order of keys, so that two never wait for each other.
 */
export const recordStreams: Consumer = {
  name: 'activity_streams',
  facts: eventFacts,
  rows: rowsOf,
  statement: () => sql`
    insert into event_streams (author_id, project_id, kind)
    select distinct author_id, project_id, kind from ${sql.ref(recordEvents.name)} order by 1, 2, 3
    on conflict do nothing`,
}
