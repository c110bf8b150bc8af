import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Files } from '#platform/files/files.ts'
import type { ByteRange } from '#platform/files/store.ts'
import { findArtifact } from '../artifacts/queries.ts'

/** Pieces that are read at once, and how far from each other they begin: one alone may have megabytes. */
const AT_ONCE = 16
const BYTES_AT_ONCE = 256 * 1024
/** Longer than any log. */
const ALL: ByteRange = { start: 0, end: 2 ** 40 }

/** The bytes of a log that is not a file yet, or some of them, piece by piece. */
export async function* logPieces(
  db: Db,
  jobId: number,
  { start, end }: ByteRange = ALL,
): AsyncGenerator<Buffer> {
  for (let at = start; at <= end;) {
    const { rows } = await sql<{ bytes: Buffer }>`
      select substring(bytes from greatest(${at}::bigint - start, 0)::int + 1
        for (least(start + length(bytes), ${end}::bigint + 1) - greatest(start, ${at}::bigint))::int) as bytes
      from ci_job_log_pieces, (
        select max(start) as first from ci_job_log_pieces where job_id = ${jobId} and start <= ${at}::bigint) as f
      where job_id = ${jobId} and start >= first and start < first + ${BYTES_AT_ONCE} and start <= ${end}::bigint
        and start + length(bytes) > ${at}::bigint
      order by start limit ${AT_ONCE}`.execute(db)
    if (rows.length === 0) return
    for (const { bytes } of rows) {
      at += bytes.length
      yield bytes
    }
  }
}

/**
 * The bytes of a log that was no file yet, or some of them. It may become one meanwhile, and its pieces go: then the
 * rest comes from the file.
 */
export async function* logBytes(
  { db, files }: { readonly db: Db; readonly files: Files },
  jobId: number,
  range: ByteRange = ALL,
): AsyncGenerator<Buffer> {
  let at = range.start
  for await (const bytes of logPieces(db, jobId, range)) {
    at += bytes.length
    yield bytes
  }
  if (at > range.end) return
  const kept = await findArtifact(db, jobId, 'trace')
  const file = kept && (await files.find(kept.file_id))
  if (file === undefined || file.size <= at) return
  yield* (await files.read(file, { start: at, end: Math.min(range.end, file.size - 1) })) ?? []
}
