import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { MergeRequestState, MergeStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** What changes meanwhile of a merge request that a push concerns. */
interface Locked {
  readonly id: number
  readonly state: MergeRequestState
  readonly head_sha: string
  readonly merge_status: MergeStatus
  /** Whether an automatic merge waits. */
  readonly waits: boolean
}

/** Locks many merge requests in the one order, and reads what the locks protect. */
export async function lockMergeRequests(
  tx: Tx,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Locked>> {
  if (ids.length === 0) return new Map()
  await sql`select 1 from noteables where ${isAnyOf('id', ids)} order by id for no key update`.execute(tx.db)
  const { rows } = await sql<Locked>`
    select id, state, head_sha, merge_status, auto_merge is not null as waits
    from merge_requests where ${isAnyOf('id', ids)} order by id for no key update`.execute(tx.db)
  return new Map(rows.map((row) => [row.id, row]))
}
