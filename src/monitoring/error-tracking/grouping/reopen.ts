import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { iso } from '#platform/http/time.ts'
import { isBackIn } from './releases.ts'
import type { Group } from './group.ts'
import type { News } from './news.ts'

/** Opens resolved errors that happened again since. Ignored ones stay as they are. @returns those that are back */
export async function reopen(tx: Tx, groups: readonly Group[]): Promise<News[]> {
  const resolved = groups.filter(({ status }) => status === 'resolved')
  if (resolved.length === 0) return []
  const firstSeen = await releasesOf(tx, resolved)
  const back = resolved.flatMap((group) => {
    const { statusChangedAt, resolvedInRelease, events } = group
    const since = statusChangedAt === null ? '' : iso(statusChangedAt)
    const event = events.find(
      ({ projectId, receivedAt, event: { release } }) =>
        receivedAt > since &&
        (resolvedInRelease === null ||
          isBackIn(release, resolvedInRelease, firstSeen.get(projectId) ?? new Map())),
    )
    return event === undefined ? [] : { group, backIn: event.event.release ?? null }
  })
  if (back.length === 0) return []
  await sql`
    update errors set status = 'unresolved', resolved_in_release = null, reopened_at = ${tx.now}::timestamptz,
      status_changed_at = ${tx.now}::timestamptz, status_changed_by_id = null
    where id = any(${back.map(({ group }) => group.id)}::bigint[])`.execute(tx.db)
  return back
}

/** When the releases that matter here were first heard of, by project. */
async function releasesOf(
  tx: Tx,
  groups: readonly Group[],
): Promise<ReadonlyMap<number, ReadonlyMap<string, string>>> {
  const wanted = groups.flatMap(({ resolvedInRelease, events }) =>
    resolvedInRelease === null
      ? []
      : [resolvedInRelease, ...events.flatMap(({ event }) => event.release ?? [])].map((name) => ({
          project_id: events[0].projectId,
          name,
        })),
  )
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<{ project_id: number; name: string; first_seen_at: string }>`
    select r.project_id, r.name, r.first_seen_at from error_releases r
    where (r.project_id, r.name) in (
      select project_id, name from ${recordset('error_releases', wanted)})`.execute(tx.db)
  return new Map(
    [...Map.groupBy(rows, ({ project_id }) => project_id)].map(([id, some]) => [
      id,
      new Map(some.map(({ name, first_seen_at }) => [name, iso(first_seen_at)])),
    ]),
  )
}
