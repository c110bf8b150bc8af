import { sql } from 'kysely'
import { digestOf } from '#platform/access/digest.ts'
import type { Db } from '#platform/db/pool.ts'

/** The archive of a job as another one may have it; without a file where it has none. */
export interface OfferedArchive {
  readonly file_id: string | null
  readonly filename: string | null
}

/**
 * The archive of a job for whoever shows the token of a running job: that job's own, or that of a job whose artifacts it was promised.
 * @returns undefined where the token does not open it
 */
export async function archiveFor(db: Db, jobId: number, token: string): Promise<OfferedArchive | undefined> {
  const { rows } = await sql<OfferedArchive>`
    select a.file_id, a.filename
      from ci_running_jobs r left join ci_job_artifacts a on a.job_id = ${jobId} and a.file_type = 'archive'
      where r.token_digest = ${digestOf(token)} and (r.job_id = ${jobId} or ${jobId}::bigint = any(r.dependency_ids))`.execute(
    db,
  )
  return rows[0]
}
