import { sql } from 'kysely'
import { authorizeIfAllowed, viewerOfUser } from '#platform/access/act-for.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { accessOf, type ArtifactAccess, mayHaveArtifacts } from '../artifacts/queries.ts'
import type { JobDefinition } from '../jobs/definition.ts'
import type { PipelineProject } from '../pipelines/pipeline-project.ts'
import { CannotRun } from './errors.ts'

/** A job whose artifacts another one gets. */
export interface Dependency {
  readonly id: number
  readonly name: string
  /** The archive, never a report. */
  readonly archive: { readonly file_id: string; readonly filename: string; readonly size: number } | null
  /** The file of a report with variables. */
  readonly dotenv: DotenvFile | null
}

export interface DotenvFile {
  readonly file_id: string
  readonly file_format: string | null
}

interface Dependent {
  readonly id: number
  readonly pipeline_id: number
  readonly stage_index: number
  readonly user_id: number | null
  readonly definition: Pick<JobDefinition, 'needs' | 'crossNeeds' | 'dependencies'>
}

type OwnProject = Pick<PipelineProject, 'id' | 'path' | 'traversal_ids'>

/** Jobs that one may get artifacts of. */
const MOST = 500

const archive = sql`(
  select json_build_object('file_id', a.file_id, 'filename', a.filename, 'size', a.size)
  from ci_job_artifacts a where a.job_id = j.id and a.file_type = 'archive')`

const dotenv = sql`(
  select json_build_object('file_id', a.file_id, 'file_format', a.file_format)
  from ci_job_artifacts a where a.job_id = j.id and a.file_type = 'dotenv')`

interface Found extends Dependency {
  readonly erased: boolean
  readonly status: string
}

/**
 * The jobs whose artifacts a job gets: those that its configuration names, or else all of earlier stages; and those of other projects and
 * pipelines that its token reaches and the person who started it may read.
 * @throws {CannotRun} where artifacts of a named job are gone
 */
export async function dependenciesOf(
  services: JobServices,
  job: Dependent,
  project: OwnProject,
  variable: (text: string) => string,
): Promise<Dependency[]> {
  const { db } = services
  const { needs, dependencies, crossNeeds } = job.definition
  const named =
    dependencies ?? needs?.filter(({ artifacts }) => artifacts).map((need) => need.job) ?? undefined
  const { rows } = await sql<Found>`
    select j.id, j.name, j.status, j.erased_at is not null as erased, ${archive} as archive, ${dotenv} as dotenv
      from ci_jobs j where j.pipeline_id = ${job.pipeline_id} and not j.retried and not j.bridge and j.id <> ${job.id}
        and ${named === undefined ? sql`j.stage_index < ${job.stage_index}` : sql`j.name = any(${[...named]}::text[])`}
        and j.status in ('success', 'failed', 'canceled')
      order by j.id limit ${MOST}`.execute(db)
  if (dependencies !== undefined && rows.some(({ erased }) => erased))
    throw new CannotRun('missing_dependency_failure')
  const others = crossNeeds.length === 0 ? [] : await crossDependencies(services, job, project, variable)
  return [...rows, ...others]
}

/** Needs of other projects and pipelines. */
async function crossDependencies(
  services: JobServices,
  job: Dependent,
  own: OwnProject,
  variable: (text: string) => string,
): Promise<Dependency[]> {
  const { db } = services
  const viewer = await viewerOf(services, job, own)
  if (viewer === undefined) return []
  const found: Dependency[] = []
  for (const need of job.definition.crossNeeds) {
    if (!need.artifacts || need.job === undefined) continue
    const { rows } = await sql<Dependency & { project_id: number; access: ArtifactAccess }>`
      select j.id, j.name, j.project_id, ${archive} as archive, ${dotenv} as dotenv, ${accessOf} as access
        from ci_jobs j join ci_job_definitions d on d.id = j.definition_id
        where j.pipeline_id = (${
          need.project === undefined
            ? pipelineByNumber(job.pipeline_id, variable(need.pipeline ?? ''))
            : newestOf(variable(need.project), variable(need.ref ?? ''))
        }) and j.name = ${variable(need.job)} and not j.retried limit 1`.execute(db)
    const [one] = rows
    if (one === undefined) throw new CannotRun('missing_dependency_failure')
    const project = await authorizeIfAllowed(db, viewer, one.project_id, 'read_pipeline')
    if (project === undefined || (one.project_id !== own.id && !mayHaveArtifacts(one.access, project)))
      throw new CannotRun('missing_dependency_failure')
    found.push(one)
  }
  return found
}

/** Whoever started a job, as far as the token of the job reaches. */
async function viewerOf(
  services: JobServices,
  { id, user_id }: Dependent,
  { id: projectId, path, traversal_ids: traversalIds }: OwnProject,
): Promise<Viewer | undefined> {
  const person = user_id === null ? undefined : await viewerOfUser(services, user_id, null)
  if (person === undefined) return undefined
  const isConfined = services.settings().enforce_ci_inbound_job_token_scope_enabled
  const job = { id, projectId, path, traversalIds, isOfAdmin: person.admin, isConfined }
  return { ...person, admin: false, job }
}

/** A pipeline of the same project, such as the one that started this one. */
const pipelineByNumber = (ofJob: number, number: string) => sql`
  select p.id from pipelines p join pipelines o on o.id = ${ofJob} and o.project_id = p.project_id
    where p.id = ${/^\d{1,15}$/.test(number) ? Number(number) : 0}::bigint`

/** The newest pipeline of a branch or tag of another project that has passed. */
const newestOf = (path: string, ref: string) => sql`
  select p.id from pipelines p join projects r on r.id = p.project_id join namespaces n on n.id = r.project_namespace_id
    where lower(n.full_path) = ${path.toLowerCase()} and n.deleted_at is null and p.ref = ${ref} and p.status = 'success'
      and not p.is_child and p.merge_request_id is null and p.source <> 'external'
    order by p.id desc limit 1`
