import { type RawBuilder, sql } from 'kysely'
import { Type } from 'typebox'
import { scheduled } from '#platform/jobs/schedule.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'

/** Rows of one transaction. */
const AT_ONCE = 1_000

/**
 * Deletes artifacts, but for those of the latest pipeline of each branch and tag that has passed, where the project and the instance keep
 * them. Their files are removed when nothing refers to them.
 * @param which a condition on the artifact `a`
 */
export async function deleteArtifacts(
  { db, settings, signal, transact }: JobContext,
  which: RawBuilder<boolean>,
): Promise<void> {
  const keeps = settings().keep_latest_artifact
  const isLatest = sql<boolean>`(${keeps} and coalesce((r.settings ->> 'keep_latest_artifact')::boolean, true)
    and p.status = 'success' and not exists (
      select from pipelines n where n.project_id = p.project_id and n.ref = p.ref and n.status = 'success' and n.id > p.id
        and not n.is_child))`
  for (let after = 0; !signal.aborted;) {
    const { rows } = await sql<{ id: number; latest: boolean }>`
      select a.id, ${isLatest} as latest
        from ci_job_artifacts a join ci_jobs j on j.id = a.job_id join pipelines p on p.id = j.pipeline_id
          join projects r on r.id = a.project_id
        where a.id > ${after} and ${which} order by a.id limit ${AT_ONCE}`.execute(db)
    const last = rows.at(-1)
    if (last === undefined) return
    after = last.id
    const ids = rows.flatMap(({ id, latest }) => (latest ? [] : [id]))
    if (ids.length > 0)
      await transact(async (tx) => {
        await sql`delete from ci_job_artifacts where id = any(${ids}::bigint[])`.execute(tx.db)
      })
  }
}

/** Deletes artifacts whose time is over. */
export const expireArtifacts = defineTask('ci.expire-artifacts', 'long', Type.Object({}), (_, job) =>
  deleteArtifacts(
    job,
    sql<boolean>`a.expire_at < ${job.clock.now().toISOString()} and a.file_type <> 'trace'`,
  ),
)

export const expiry = scheduled('*/10 * * * *', expireArtifacts, {})
