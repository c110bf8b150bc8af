import { transact } from '#platform/db/transaction.ts'
import type { JobContext, JobServices } from './task.ts'

/** What a task gets, made of what its process hands to jobs and what is known of the one job. */
export function jobContext(services: JobServices, job: Pick<JobContext, 'attempt' | 'signal'>): JobContext {
  return {
    ...services,
    ...job,
    transact: (work, author) => transact(services, { author: author ?? null, ip: null }, work),
  }
}
