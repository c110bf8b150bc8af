import { sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'

export interface ArtifactRow {
  readonly file_id: string
  readonly filename: string
}

/** The artifact of a kind that a job has. */
export const findArtifact = (
  db: Db | Tx['db'],
  jobId: number,
  type: string,
): Promise<ArtifactRow | undefined> =>
  db
    .selectFrom('ci_job_artifacts')
    .select(['file_id', 'filename'])
    .where('job_id', '=', jobId)
    .where('file_type', '=', type)
    .executeTakeFirst()

/** Who may have artifacts, as the file says it with `artifacts:access`, or `public` before. */
export type ArtifactAccess = 'all' | 'developer' | 'maintainer' | 'none'

/** A job whose artifacts are asked for. */
export interface JobWithArtifacts {
  readonly id: number
  readonly access: ArtifactAccess
}

/** Who may have the artifacts of a job with the definition `d`. */
export const accessOf = sql<ArtifactAccess>`coalesce(
  case when d.definition #>> '{options,artifacts,access}' in ('all', 'developer', 'maintainer', 'none')
    then d.definition #>> '{options,artifacts,access}' end,
  case when d.definition #>> '{options,artifacts,public}' = 'false' then 'developer' end, 'all')`

/** Whether somebody with these abilities in a project may have artifacts there. */
export const mayHaveArtifacts = (access: ArtifactAccess, { can }: Pick<AuthorizedProject, 'can'>): boolean =>
  access === 'all' ||
  (access === 'developer' && can('update_job')) ||
  (access === 'maintainer' && can('erase_job'))

/** A job of a project. @throws 404 */
export const jobWithArtifacts = (db: Db, projectId: number, id: number): Promise<JobWithArtifacts> =>
  db
    .selectFrom('ci_jobs as j')
    .innerJoin('ci_job_definitions as d', 'd.id', 'j.definition_id')
    .select(['j.id', accessOf.as('access')])
    .where('j.project_id', '=', projectId)
    .where('j.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound())

/** The job of that name in the newest pipeline of a branch or tag that has passed. @throws 404 */
export async function latestJobWithArtifacts(
  db: Db,
  projectId: number,
  { ref, job }: { readonly ref: string; readonly job: string },
): Promise<JobWithArtifacts> {
  const { rows } = await sql<JobWithArtifacts>`
    select j.id, ${accessOf} as access
      from ci_jobs j join ci_job_definitions d on d.id = j.definition_id
      where j.pipeline_id = (
        select p.id from pipelines p where p.project_id = ${projectId} and p.ref = ${ref} and p.status = 'success' and not p.is_child
          and p.merge_request_id is null and p.source <> 'external' order by p.id desc limit 1)
        and j.name = ${job} and not j.retried
        and exists (select from ci_job_artifacts a where a.job_id = j.id and a.file_type = 'archive')`.execute(
    db,
  )
  const [found] = rows
  if (found === undefined) throw notFound()
  return found
}
