import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Group } from './group.ts'
import { tellNews } from './news.ts'
import type { ArrivedEvent } from './read-arrived.ts'
import { reopen } from './reopen.ts'
import { countHours, countPlaces, countUsers, keepEvents } from './write-counts.ts'

/** Counts events, and keeps some of them. Those of projects that are gone are dropped. */
export async function writeErrors(tx: Tx, arrived: readonly ArrivedEvent[]): Promise<void> {
  if (arrived.length === 0) return
  const namespaces = await lockProjects(tx, new Set(arrived.map(({ projectId }) => projectId)))
  const known = await alreadyKept(tx, arrived)
  const fresh = arrived.filter(({ projectId, event: { event_id } }) => {
    const isKnown = known.has(event_id)
    // A program that got no answer sends an event again.
    known.add(event_id)
    return !isKnown && namespaces.has(projectId)
  })
  if (fresh.length === 0) return
  const groups = await upsertErrors(tx, fresh, namespaces)
  const counts = await countHours(tx, groups)
  await keepEvents(tx, groups, counts)
  await countUsers(tx, groups)
  await countPlaces(tx, groups)
  const back = await reopen(tx, groups)
  await tellNews(tx, [...groups.filter(({ isNew }) => isNew).map((group) => ({ group })), ...back])
}

/** Keeps projects from being deleted meanwhile. @returns their namespaces. */
async function lockProjects(tx: Tx, ids: Iterable<number>): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ id: number; namespace_id: number }>`
    select p.id, n.id as namespace_id from projects p join namespaces n on n.id = p.project_namespace_id
    where p.id = any(${[...ids]}::bigint[]) and n.deleted_at is null
    order by n.id for share of n`.execute(tx.db)
  return new Map(rows.map(({ id, namespace_id }) => [id, namespace_id]))
}

/** Days within which programs may send an event again. */
const REPEATS = 2

async function alreadyKept(tx: Tx, arrived: readonly ArrivedEvent[]): Promise<Set<string>> {
  const { rows } = await sql<{ event_id: string }>`
    select event_id from error_events
    where event_id = any(${arrived.map(({ event }) => event.event_id)}::text[])
      and recorded_at > now() - make_interval(days => ${REPEATS})`.execute(tx.db)
  return new Set(rows.map(({ event_id }) => event_id))
}

interface Upserted {
  readonly id: number
  readonly project_id: number
  readonly fingerprint: string
  readonly is_new: boolean
  readonly status: string
  readonly status_changed_at: string | null
  readonly resolved_in_release: string | null
}

/** Rows are locked in the order of their keys, so two batches never wait for each other. */
async function upsertErrors(
  tx: Tx,
  fresh: readonly ArrivedEvent[],
  namespaces: ReadonlyMap<number, number>,
): Promise<Group[]> {
  const groups = Map.groupBy(fresh, ({ projectId, fingerprint }) => `${projectId} ${fingerprint}`)
  const values = [...groups.values()].flatMap((events) => {
    const [first] = events
    const latest = events.at(-1)
    if (first === undefined || latest === undefined) return []
    const times = events.map(({ event }) => event.occurred_at).toSorted()
    const { projectId: project_id, fingerprint, type, title, culprit, event } = latest
    const seen = { first_seen_at: times[0], last_seen_at: times.at(-1), events_count: events.length }
    return {
      project_id,
      fingerprint: `\\x${fingerprint}`,
      type,
      title,
      culprit,
      platform: event.platform,
      level: event.level,
      ...seen,
    }
  })
  const { rows } = await sql<Upserted>`
    insert into errors as e (project_id, fingerprint, type, title, culprit, platform, level, events_count, first_seen_at, last_seen_at)
    select project_id, fingerprint, type, title, culprit, platform, level, events_count, first_seen_at, last_seen_at
    from ${recordset('errors', values)}
    order by project_id, fingerprint
    on conflict (project_id, fingerprint) do update set
      type = excluded.type, title = excluded.title, culprit = excluded.culprit, platform = excluded.platform,
      level = excluded.level, events_count = e.events_count + excluded.events_count,
      first_seen_at = least(e.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(e.last_seen_at, excluded.last_seen_at)
    returning id, project_id, encode(fingerprint, 'hex') as fingerprint, xmax = 0 as is_new, status, status_changed_at,
      resolved_in_release`.execute(tx.db)
  return rows.flatMap((row) => {
    const [first, ...more] = groups.get(`${row.project_id} ${row.fingerprint}`) ?? []
    const namespaceId = namespaces.get(row.project_id)
    if (first === undefined || namespaceId === undefined) return []
    return {
      id: row.id,
      isNew: row.is_new,
      namespaceId,
      status: row.status,
      statusChangedAt: row.status_changed_at,
      resolvedInRelease: row.resolved_in_release,
      events: [first, ...more],
    }
  })
}
