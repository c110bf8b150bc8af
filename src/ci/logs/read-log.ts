import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'

/** Pieces that are read at once. */
const AT_ONCE = 16

/** The pieces of a log that is not a file yet, one after the other. */
export async function* logPieces(db: Db, jobId: number): AsyncGenerator<Buffer> {
  for (let after = -1; ;) {
    const { rows } = await sql<{ start: number; bytes: Buffer }>`
      select start, bytes from ci_job_log_pieces where job_id = ${jobId} and start > ${after} order by start limit ${AT_ONCE}`.execute(
      db,
    )
    for (const { bytes } of rows) yield bytes
    const last = rows.at(-1)
    if (last === undefined || rows.length < AT_ONCE) return
    after = last.start
  }
}
