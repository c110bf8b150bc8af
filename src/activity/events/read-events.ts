import { type RawBuilder, sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import type { Json, NoteType } from '#platform/db/schema.ts'
import { leftOut, shortened } from '#platform/http/long-rows.ts'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import { type Feed, streams } from './feed.ts'
import { type Kind, kindsWhere } from './kinds.ts'
import { openTo } from './open-to.ts'

/** An event with everything that presenters need. */
export interface EventRow {
  readonly id: number
  readonly project_id: number
  readonly kind: number
  readonly target_id: number | null
  readonly details: Json | null
  readonly created_at: string
  readonly author: UserBasicRow
  /** Of what the event or its note is about. */
  readonly iid: number | null
  readonly title: string | null
  readonly note: EventNoteRow | null
  readonly body: string
  /** The bytes of a body that was too long to be read with the other rows; null when it is there. */
  readonly left_out: number | null
}

export interface EventNoteRow {
  readonly id: number
  readonly type: NoteType | null
  readonly author: UserBasicRow
  readonly created_at: string
  readonly system: boolean
  readonly internal: boolean
  readonly noteable_id: number
}

const cache = new StatementCache({ name: 'events by ids', max: 8, plan: 'generic' })

/**
 * Reads events in the order of their ids, as far as the reader may still see them. Each partition is asked once for all ids. Notes are
 * looked up one by one: PostgreSQL expects events in each partition, and would read all notes in the order of their ids for so many.
 */
export async function readEvents(
  db: Db,
  feed: Feed,
  ids: readonly number[],
  longest?: number,
): Promise<EventRow[]> {
  const asked = sql`${[...ids]}::bigint[]`
  const query = sql<EventRow>`
    with ${streams(feed)}
    select e.id, e.project_id, e.kind, e.target_id, e.details, e.created_at, ${userBasicJson('u')} as author,
      about.iid, about.title, case when x.id is not null then json_build_object('id', x.id, 'type', x.type,
        'author', ${userBasicJson('xu')}, 'created_at', x.created_at, 'system', x.system, 'internal', x.internal,
        'noteable_id', x.noteable_id) end as note,
      ${shortened('x.body', longest)} as body, ${leftOut('x.body', longest)} as left_out
    from (select e.id, e.project_id, e.kind, e.target_id, e.details, e.created_at, e.author_id
        from events e where e.id = any(${asked}) offset 0) e
      join streams s on s.project_id = e.project_id and s.kind = e.kind
      join users u on u.id = e.author_id
      left join lateral (
        select n.id, n.type, n.author_id, n.created_at, n.system, n.internal, n.noteable_id, n.body from notes n
          where n.id = e.target_id and ${isOf(({ action }) => action === 'commented')} offset 0
      ) x on true
      left join users xu on xu.id = x.author_id
      left join lateral (${titles}) about on true
    where ${openTo(feed.reader)} order by array_position(${asked}, e.id)`
  return cache.run(db, query)
}

const isOf = (passes: (kind: Kind) => boolean): RawBuilder<boolean> =>
  sql<boolean>`e.kind in (${sql.join(kindsWhere(passes).map((kind) => sql.lit(kind)))})`

/** The present iid and title of what an event or its note is about. */
const titles = sql.join(
  (
    [
      ['issues', sql`t.iid`],
      ['merge_requests', sql`t.iid`],
      ['milestones', sql`t.iid`],
      ['snippets', sql`null::integer`],
    ] as const
  ).map(
    ([table, iid]) => sql`select ${iid} as iid, t.title from ${sql.table(table)} t
      where t.id = coalesce(x.noteable_id, e.target_id) and ${isOf(({ area }) => area === table)}`,
  ),
  sql` union all `,
)
