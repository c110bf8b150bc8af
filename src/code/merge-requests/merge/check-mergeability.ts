import { Type } from 'typebox'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { LeaseHeld, withLease } from '#platform/jobs/lease.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { Busy, TooLarge } from '#platform/refusals.ts'
import { tipOf } from '../branches.ts'
import { aboutMergeRequest } from '../facts-about.ts'
import { carryOutAutoMerge } from './auto-merge.ts'
import { type Mergeability, mergeabilityOf } from './mergeability.ts'

/** The most merge requests of one job. */
const MERGE_REQUESTS_PER_JOB = 100

/** Finds out whether merge requests can be merged, and merges those that wait for it. */
export const checkMergeability = defineTask(
  'merge-requests/check',
  'short',
  Type.Object({ merge_request_ids: Type.Array(Type.Integer()) }),
  async ({ merge_request_ids }, job) => {
    const again = new Map<number, unknown>()
    for (const id of merge_request_ids) {
      try {
        await withLease(job, `check merge request ${id}`, () => check(id, job))
      } catch (error) {
        // Another job checks it now, perhaps an earlier state of it; or its repository cannot be written to at present.
        if (!(error instanceof LeaseHeld) && !(error instanceof Busy)) throw error
        again.set(id, error)
      }
    }
    const [first] = again.values()
    if (first === undefined) return
    throw new Error(`merge requests ${[...again.keys()].join(', ')} are checked again`, { cause: first })
  },
)

/**
 * Has a job check open merge requests. At most one job at a time checks a merge request.
 * @param states the merge statuses that take a check; after a change of the branches, this includes statuses that are answers.
 */
export async function checkLater(
  tx: Tx,
  ids: readonly number[],
  states: readonly ('unchecked' | 'cannot_be_merged_recheck')[] = ['unchecked', 'cannot_be_merged_recheck'],
): Promise<void> {
  if (ids.length === 0) return
  const rows = await tx.db
    .updateTable('merge_requests')
    .set({ merge_status: 'checking' })
    .where(isAnyOf('id', ids))
    .where('state', '=', 'opened')
    .where('merge_status', 'in', states)
    .returning('id')
    .execute()
  if (rows.length > 0) await checkNow(tx, rows)
}

/** Enqueues the jobs for merge requests whose status is `checking` from now on. */
export async function checkNow(tx: Tx, rows: readonly { readonly id: number }[]): Promise<void> {
  for (let at = 0; at < rows.length; at += MERGE_REQUESTS_PER_JOB) {
    const merge_request_ids = rows.slice(at, at + MERGE_REQUESTS_PER_JOB).map(({ id }) => id)
    await enqueue(tx, checkMergeability, { merge_request_ids })
  }
}

const findRow = (db: Db, id: number) =>
  db
    .selectFrom('merge_requests')
    .select(['id', 'project_id', 'source_project_id', 'source_branch', 'target_branch', 'head_sha'])
    .where('id', '=', id)
    .where('state', '=', 'opened')
    .executeTakeFirst()

async function check(id: number, job: JobContext): Promise<void> {
  const repositories = job.repositories
  for (;;) {
    const row = await findRow(job.db, id)
    if (row === undefined) return
    const found = await mergeabilityOf(repositories, row).catch(orConflict)
    if (!(await writeFound(job, row, found))) continue
    // A push that was recorded before this answer was written relies on it. A later push sets the status back itself.
    const target = await tipOf(await repositories.ofProject(row.project_id), row.target_branch)
    if (found.target === undefined || found.target === target) break
  }
  await carryOutAutoMerge(job, id)
}

/** Treats a merge that is too large for this server as a conflict: its author has to merge. @throws all other errors */
function orConflict(error: unknown): Mergeability {
  if (error instanceof TooLarge) return { obstacle: 'conflict', behind: true, target: undefined }
  throw error
}

/** @returns false when the source branch has changed meanwhile */
async function writeFound(
  job: JobContext,
  { id, head_sha }: { readonly id: number; readonly head_sha: string },
  { obstacle, behind }: Mergeability,
): Promise<boolean> {
  return job.transact(async (tx) => {
    const before = await tx.db
      .selectFrom('merge_requests as mr')
      .innerJoin('projects as p', 'p.id', 'mr.project_id')
      .select(['mr.author_id', 'mr.state', 'mr.merge_obstacle', 'p.project_namespace_id as namespace_id'])
      .where('mr.id', '=', id)
      .where('mr.head_sha', '=', head_sha)
      .forNoKeyUpdate('mr')
      .executeTakeFirst()
    if (before === undefined) return false
    await tx.db
      .updateTable('merge_requests')
      .set({
        merge_status: obstacle === null ? 'can_be_merged' : 'cannot_be_merged',
        merge_obstacle: obstacle,
        behind_target: behind,
      })
      .where('id', '=', id)
      .execute()
    if (obstacle === 'conflict' && before.merge_obstacle !== 'conflict' && before.state === 'opened') {
      record(tx, {
        ...aboutMergeRequest({ id, namespace_id: before.namespace_id }),
        name: 'merge request conflicts found',
        details: { author_id: before.author_id },
      })
    }
    return true
  })
}
