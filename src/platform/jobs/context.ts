import { transact } from '#platform/db/transaction.ts'
import type { JobContext, JobServices } from './task.ts'

/** Makes the context of a task from what its process gives to jobs and what is known of this job. */
export function jobContext(services: JobServices, job: Pick<JobContext, 'attempt' | 'signal'>): JobContext {
  return {
    ...services,
    ...job,
    transact: (work, author) => transact(services, { author: author ?? null, ip: null }, work),
  }
}
