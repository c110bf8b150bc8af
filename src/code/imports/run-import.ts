import type { JobContext } from '#platform/jobs/task.ts'
import { ImportRefused } from './errors.ts'
import { endImport, findOpenImport, type OpenImport, startImport } from './import-row.ts'

/** How often it is tried before people are told that it failed, where this server is to blame. */
const TRIES = 5

/**
 * Does what an import asks for, and notes how it ended. A process that dies leaves an import that begins again
 * elsewhere, so `work` must be idempotent.
 */
export async function runImport(
  projectId: number,
  job: JobContext,
  signal: AbortSignal,
  work: (found: OpenImport, job: JobContext, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const found = await findOpenImport(job.db, projectId)
  if (found === undefined) return
  await startImport(job.db, found)
  try {
    await work(found, job, signal)
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof ImportRefused) return job.transact((tx) => endImport(tx, found, error.message))
    if (job.attempt >= TRIES) {
      await job.transact((tx) => endImport(tx, found, 'This server could not finish the import'))
    }
    throw error
  }
  await job.transact((tx) => endImport(tx, found))
}
