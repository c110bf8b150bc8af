import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { Group } from './group.ts'

/** How many events of an error are kept as a whole in an hour. */
const KEPT = 20
/** At most so many people of an error are told apart. */
const USERS = 10_001
/** At most so many releases of an error are told apart, and as many environments. */
const PLACES = 100

/** Counts events by the hour of their arrival. @returns how many of each error this hour has now. */
export async function countHours(tx: Tx, groups: readonly Group[]): Promise<ReadonlyMap<number, number>> {
  const values = groups
    .map(({ id, events }) => ({ error_id: id, events_count: events.length }))
    .toSorted((one, other) => one.error_id - other.error_id)
  const { rows } = await sql<{ error_id: number; events_count: number }>`
    insert into error_hours as h (error_id, recorded_at, events_count)
    select error_id, date_trunc('hour', ${tx.now}::timestamptz, 'UTC'), events_count
    from ${recordset('error_hours', values)} as v
    on conflict (error_id, recorded_at) do update set events_count = h.events_count + excluded.events_count
    returning error_id, events_count`.execute(tx.db)
  return new Map(rows.map(({ error_id, events_count }) => [error_id, events_count]))
}

/** Keeps the first events of each hour as a whole. */
export async function keepEvents(
  tx: Tx,
  groups: readonly Group[],
  counts: ReadonlyMap<number, number>,
): Promise<void> {
  const kept = groups.flatMap(({ id, events }) => {
    const before = (counts.get(id) ?? events.length) - events.length
    return events.slice(0, Math.max(0, KEPT - before)).map((one) => ({ id, ...one }))
  })
  if (kept.length === 0) return
  await sql`
    insert into error_events (error_id, event_id, event, occurred_at)
    select v.error_id, v.event_id, v.event, v.occurred_at from unnest(${kept.map(({ id }) => id)}::bigint[], ${kept.map(({ event }) => event.event_id)}::text[],
      ${kept.map(({ text }) => text)}::text[], ${kept.map(({ event }) => event.occurred_at)}::timestamptz[]) as v (error_id, event_id, event, occurred_at)`.execute(
    tx.db,
  )
}

/** Counts people whom an error has not affected yet. */
export async function countUsers(tx: Tx, groups: readonly Group[]): Promise<void> {
  const values = groups.flatMap(({ id, events }) =>
    [...new Set(events.flatMap(({ affected }) => affected ?? []))].map((digest) => ({
      error_id: id,
      digest: `\\x${digest}`,
    })),
  )
  if (values.length === 0) return
  await sql`
    with added as (
      insert into error_users (error_id, digest)
      select v.error_id, v.digest
      from ${recordset('error_users', values)} as v join errors e on e.id = v.error_id
      where e.users_count < ${sql.lit(USERS)}
      on conflict do nothing returning error_id
    )
    update errors e set users_count = least(e.users_count + a.people, ${sql.lit(USERS)})
    from (select error_id, count(*) as people from added group by error_id) a where e.id = a.error_id`.execute(
    tx.db,
  )
}

/** Counts where errors were seen, and remembers the releases of their projects. */
export async function countPlaces(tx: Tx, groups: readonly Group[]): Promise<void> {
  const values = groups.flatMap(({ id, events }) =>
    (['release', 'environment'] as const).flatMap((kind) =>
      [...Map.groupBy(events, ({ event }) => event[kind])].flatMap(([name, some]) => {
        const times = some.map(({ event }) => event.occurred_at).toSorted()
        return name === undefined
          ? []
          : {
              error_id: id,
              kind,
              name,
              events_count: some.length,
              first_seen_at: times[0],
              last_seen_at: times.at(-1),
            }
      }),
    ),
  )
  if (values.length === 0) return
  await sql`
    insert into error_places as p (error_id, kind, name, events_count, first_seen_at, last_seen_at)
    select error_id, kind, name, events_count, first_seen_at, last_seen_at
    from (
      select v.error_id, v.kind, v.name, v.events_count, v.first_seen_at, v.last_seen_at, k.name is not null as known, (select count(*) from error_places o where o.error_id = v.error_id and o.kind = v.kind)
          + count(*) filter (where k.name is null) over (partition by v.error_id, v.kind order by v.name) as place
      from ${recordset('error_places', values)} as v
        left join error_places k on k.error_id = v.error_id and k.kind = v.kind and k.name = v.name
    ) as counted
    where known or place <= ${sql.lit(PLACES)}
    on conflict (error_id, kind, name) do update set
      events_count = p.events_count + excluded.events_count,
      first_seen_at = least(p.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(p.last_seen_at, excluded.last_seen_at)`.execute(tx.db)
  const releases = groups.flatMap(({ events }) =>
    events.flatMap(({ projectId, receivedAt, event }) =>
      event.release === undefined
        ? []
        : { project_id: projectId, name: event.release, first_seen_at: receivedAt },
    ),
  )
  if (releases.length === 0) return
  await sql`
    insert into error_releases (project_id, name, first_seen_at)
    select project_id, name, min(first_seen_at)
    from ${recordset('error_releases', releases)}
    group by project_id, name order by project_id, name
    on conflict do nothing`.execute(tx.db)
}
