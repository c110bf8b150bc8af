import { transact } from '#platform/db/transaction.ts'
import type { JobContext, JobRun, QueueServices } from './task.ts'

/** Makes the context of a task from what its process gives to jobs and what is known of this job. */
export function jobContext<S extends QueueServices>(services: S, run: JobRun): JobContext<S> {
  return {
    ...services,
    ...run,
    transact: (work, author) => transact(services, { author: author ?? null, ip: null }, work),
  }
}
