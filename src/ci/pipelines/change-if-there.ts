import type { Tx } from '#platform/db/transaction.ts'
import { NotFound } from '#platform/refusals.ts'
import { changeJobs, type ChangedPipeline } from './change-jobs.ts'

/** {@link changeJobs} for jobs of the queue: undefined where the pipeline was deleted meanwhile. */
export async function changeIfThere(
  tx: Tx,
  pipelineId: number,
  want: Parameters<typeof changeJobs>[2],
): Promise<ChangedPipeline | undefined> {
  try {
    return await changeJobs(tx, pipelineId, want)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}
