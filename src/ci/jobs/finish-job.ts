import type { Tx } from '#platform/db/transaction.ts'
import { notFound, refusal } from '#platform/refusals.ts'
import { changeJobs } from '../pipelines/change-jobs.ts'
import type { JobChange } from './change-of-job.ts'
import type { EngineJob } from './rows.ts'

/** How a job ended. */
export interface JobEnd {
  readonly status: 'success' | 'failed' | 'canceled'
  /** As `script_failure`. */
  readonly failureReason?: string
  readonly coverage?: number
}

/**
 * Ends a job that is pending or running, and starts what waited for it.
 * @throws 400 for a job that is neither; 404 when it is gone
 */
export function finishJob(tx: Tx, jobId: number, end: JobEnd): Promise<void> {
  const { status, failureReason, coverage } = end
  return changeJob(tx, jobId, (job) => {
    if (job.status !== 'pending' && job.status !== 'running')
      throw refusal(`The job is ${job.status}: only pending and running jobs can end`)
    return {
      status,
      ...(status === 'failed' && { failureReason: failureReason ?? 'unknown_failure' }),
      ...(coverage !== undefined && { coverage }),
    }
  })
}

/** Says that a pending job runs now. @throws 400 for a job that is not pending; 404 when it is gone */
export const startJob = (tx: Tx, jobId: number): Promise<void> =>
  changeJob(tx, jobId, (job) => {
    if (job.status !== 'pending') throw refusal(`The job is ${job.status}: only pending jobs can start`)
    return { status: 'running' }
  })

/**
 * Changes one job, with all that follows.
 * @param want is given the job as it is under the lock; undefined leaves it
 * @throws 404 when the job is gone, or a later run has replaced it
 */
export async function changeJob(
  tx: Tx,
  jobId: number,
  want: (job: EngineJob) => JobChange | undefined,
): Promise<void> {
  const found = await tx.db
    .selectFrom('ci_jobs')
    .select('pipeline_id')
    .where('id', '=', jobId)
    .executeTakeFirstOrThrow(() => notFound())
  await changeJobs(tx, found.pipeline_id, (jobs) => {
    const job = jobs.find(({ id }) => id === jobId)
    if (job === undefined) throw notFound()
    const change = want(job)
    return change === undefined ? {} : { changes: new Map([[jobId, change]]) }
  })
}
