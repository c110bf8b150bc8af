import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'

/** Bytes of one log; what comes after them is left out. */
export const MOST_BYTES = 100 * 1024 * 1024
const LEFT_OUT = Buffer.from('\nThe log is longer than 100 MiB: the rest is left out.\n')

/** Where a log ends, and whether a piece was added to it. */
export interface AppendedLog {
  readonly size: number
  readonly fits: boolean
}

/**
 * Adds a piece to the log of a job.
 * @param start bytes that are to be there before it; undefined for all that are
 * @returns where the log ends; a piece that does not begin there is not added
 * @throws 404 when the job is gone
 */
export async function appendLog(tx: Tx, jobId: number, bytes: Buffer, start?: number): Promise<AppendedLog> {
  await tx.db
    .selectFrom('ci_jobs')
    .select('id')
    .where('id', '=', jobId)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound())
  const size = await sizeOfLog(tx.db, jobId)
  if (start !== undefined && start !== size) return { size, fits: false }
  return { size: await addToLog(tx, jobId, size, bytes), fits: true }
}

/**
 * Adds a piece to a log that ends there.
 * @returns where the log ends; of a log that grows too long, the rest is left out
 */
export async function addToLog(tx: Tx, jobId: number, size: number, bytes: Buffer): Promise<number> {
  if (bytes.length === 0 || size >= MOST_BYTES) return size
  const room = MOST_BYTES - size
  const kept = bytes.length <= room ? bytes : Buffer.concat([bytes.subarray(0, room), LEFT_OUT])
  await tx.db.insertInto('ci_job_log_pieces').values({ job_id: jobId, start: size, bytes: kept }).execute()
  return size + kept.length
}

/** Where a log ends that is not a file yet. */
export async function sizeOfLog(db: Db | Tx['db'], jobId: number): Promise<number> {
  const { rows } = await sql<{ size: number }>`
    select start + length(bytes) as size from ci_job_log_pieces where job_id = ${jobId} order by start desc limit 1`.execute(
    db,
  )
  return rows[0]?.size ?? 0
}
