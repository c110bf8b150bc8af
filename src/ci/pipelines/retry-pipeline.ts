import type { Tx } from '#platform/db/transaction.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { JobChange } from '../jobs/change-of-job.ts'
import { changeJobs } from './change-jobs.ts'

/** Runs the jobs of a pipeline again that failed or were canceled, and then what was skipped because of them. */
export async function retryPipeline(tx: Tx, id: number): Promise<void> {
  await changeJobs(tx, id, (jobs) => {
    const repeat = new Map(
      jobs
        .filter(({ status }) => status === 'failed' || status === 'canceled')
        .map((job): [number, CiStatus] => [job.id, 'created']),
    )
    const skipped = jobs.filter(({ status }) => status === 'skipped')
    return {
      repeat,
      changes:
        repeat.size === 0
          ? new Map()
          : new Map(skipped.map((job): [number, JobChange] => [job.id, { status: 'created' }])),
    }
  })
}
