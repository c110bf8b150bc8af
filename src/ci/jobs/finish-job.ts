import type { Tx } from '#platform/db/transaction.ts'

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
export function finishJob(_tx: Tx, _jobId: number, _end: JobEnd): Promise<void> {
  throw new Error('not yet')
}
