import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Files } from '#platform/files/files.ts'
import { findArtifact } from '../artifacts/queries.ts'

/** Pieces that are read at once, and how far from each other they begin: one alone may have megabytes. */
const AT_ONCE = 16
const BYTES_AT_ONCE = 256 * 1024

/** The pieces of a log that is not a file yet, one after the other. */
export async function* logPieces(db: Db, jobId: number): AsyncGenerator<Buffer> {
  for (let after = -1; ;) {
    const { rows } = await sql<{ start: number; bytes: Buffer }>`
      select start, bytes from ci_job_log_pieces where job_id = ${jobId} and start > ${after} and start < ${BYTES_AT_ONCE} + (
          select start from ci_job_log_pieces where job_id = ${jobId} and start > ${after} order by start limit 1)
        order by start limit ${AT_ONCE}`.execute(db)
    for (const { bytes } of rows) yield bytes
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.start
  }
}

/** The last bytes of a log that is not a file yet. */
export async function endOfLog(db: Db, jobId: number, most: number): Promise<Buffer> {
  const { rows } = await sql<{ bytes: Buffer }>`
    select bytes from ci_job_log_pieces where job_id = ${jobId} and start >= coalesce((
        select start from ci_job_log_pieces where job_id = ${jobId}
          and start <= (select max(start) from ci_job_log_pieces where job_id = ${jobId}) - ${most}
        order by start desc limit 1), 0)
      order by start`.execute(db)
  return Buffer.concat(rows.map(({ bytes }) => bytes)).subarray(-most)
}

/** The bytes of a log that was no file yet. It may become one meanwhile, and its pieces go: then the rest comes from the file. */
export async function* logBytes(
  { db, files }: { readonly db: Db; readonly files: Files },
  jobId: number,
): AsyncGenerator<Buffer> {
  let sent = 0
  for await (const piece of logPieces(db, jobId)) {
    sent += piece.length
    yield piece
  }
  const kept = await findArtifact(db, jobId, 'trace')
  const file = kept && (await files.find(kept.file_id))
  if (file === undefined || file.size <= sent) return
  yield* (await files.read(file, { start: sent, end: file.size - 1 })) ?? []
}
