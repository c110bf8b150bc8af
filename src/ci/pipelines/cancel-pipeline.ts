import type { Tx } from '#platform/db/transaction.ts'
import type { JobChange } from '../jobs/change-of-job.ts'
import { cancelable } from '../jobs/statuses.ts'
import { changeJobs } from './change-jobs.ts'
import { childrenOf } from './children.ts'

/** Cancels all jobs of a pipeline that have not ended, and those of its children, one pipeline after the other. */
export async function cancelPipeline(tx: Tx, id: number): Promise<void> {
  await changeJobs(tx, id, (jobs) => ({
    changes: new Map(
      jobs
        .filter(({ status }) => cancelable.has(status))
        .map((job): [number, JobChange] => [job.id, { status: 'canceled' }]),
    ),
  }))
  // Children come after their parents, by id: the order of their locks.
  for (const child of await childrenOf(tx, id)) await cancelPipeline(tx, child)
}
