import { type RawBuilder, sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { CommitEntity, presentCommit } from '../commits/entity.ts'
import type { Commit } from '../git/commit.ts'
import {
  presentProjectIdentity,
  projectIdentity,
  type ProjectIdentityRow,
} from '#identity/namespaces/project-identity.ts'
import { UserPublic } from '#identity/users/entity.ts'
import { presentUserPublic } from '#identity/users/present.ts'
import type { UserRow } from '#identity/users/queries.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { UserPermissions } from '../pipelines/entity.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import {
  PipelineBasic,
  type PipelineBasicRow,
  presentPipelineBasic,
  type ProjectSite,
  statuses,
} from '../pipelines/entity.ts'
import {
  presentRunner,
  presentRunnerManager,
  Runner,
  RunnerManager,
  type RunnerManagerRow,
  type RunnerRow,
} from './runner.ts'

const Artifact = Type.Object({
  file_type: Type.String(),
  size: integer(),
  filename: Type.String(),
  file_format: nullable(Type.String()),
})
const ArtifactsFile = Type.Object({ filename: Type.String(), size: integer() })

/** The jobs that one waits for instead of the stages before it. */
const needs = Type.Optional(
  Type.Array(Type.String(), {
    description: 'Names of jobs, where the file of the pipeline says `needs` and `with_needs` asks for it.',
  }),
)

const common = {
  id: integer(),
  status: oneOf<CiStatus>(statuses),
  stage: Type.String(),
  name: Type.String(),
  ref: Type.String(),
  tag: Type.Boolean(),
  coverage: nullable(Type.Number()),
  allow_failure: Type.Boolean(),
  created_at: moment(),
  started_at: nullable(moment()),
  finished_at: nullable(moment()),
  erased_at: nullable(moment()),
  duration: nullable(Type.Number({ description: 'Seconds.' })),
  queued_duration: nullable(Type.Number({ description: 'Seconds.' })),
  user: nullable(UserPublic),
  commit: nullable(CommitEntity),
  pipeline: PipelineBasic,
  failure_reason: Type.Optional(Type.String()),
  web_url: Type.String(),
  project: Type.Object({ ci_job_token_scope_enabled: Type.Boolean() }),
}

/** A job as the API presents it. */
export const Job = entity('Job', {
  ...common,
  user_permissions: UserPermissions,
  artifacts_file: Type.Optional(ArtifactsFile),
  artifacts: Type.Array(Artifact),
  runner: nullable(Runner),
  runner_manager: nullable(RunnerManager),
  artifacts_expire_at: nullable(moment()),
  archived: Type.Boolean(),
  tag_list: Type.Array(Type.String()),
  needs,
})

/** A job in lists across projects, which says of which one it is. */
export const JobWithProject = entity('JobWithProject', { ...common, project: Type.Object(projectIdentity) })

/** A job that starts another pipeline. */
export const Bridge = entity('Bridge', { ...common, downstream_pipeline: nullable(PipelineBasic), needs })

export interface ArtifactRow {
  readonly file_type: string
  readonly size: number
  readonly filename: string
  readonly file_format: string | null
  readonly expire_at: string | null
}

/** What lists keep of a commit, in `pipelines.commit`. */
export type KeptCommit = Pick<Commit, 'id' | 'parents' | 'author' | 'committer' | 'message' | 'title'>

/** A job with everything that presenting it needs. */
export interface JobRow {
  readonly id: number
  readonly pipeline_id: number
  readonly project_id: number
  readonly name: string
  readonly stage: string
  readonly status: CiStatus
  readonly bridge: boolean
  readonly allow_failure: boolean
  readonly tags: readonly string[]
  readonly needs: readonly string[] | null
  readonly user_id: number | null
  readonly failure_reason: string | null
  readonly coverage: number | null
  readonly created_at: string
  readonly queued_at: string | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly erased_at: string | null
  readonly tag: boolean
  readonly commit: KeptCommit | null
  readonly pipeline: PipelineBasicRow
  readonly artifacts: readonly ArtifactRow[]
  readonly runner: RunnerRow | null
  readonly runner_manager: RunnerManagerRow | null
  readonly downstream: (PipelineBasicRow & { readonly full_path: string }) | null
}

/** The artifacts of the job `j`. */
export const artifactsJson: RawBuilder<readonly ArtifactRow[]> = sql`(
  select coalesce(json_agg(json_build_object('file_type', a.file_type, 'size', a.size, 'filename', a.filename,
    'file_format', a.file_format, 'expire_at', a.expire_at) order by a.id), '[]')
  from ci_job_artifacts a where a.job_id = j.id)`

/** For whom jobs are presented, and where. */
export interface JobView extends ProjectSite {
  readonly viewer: Viewer
  readonly now: string
  readonly users: ReadonlyMap<number, UserRow>
  readonly withNeeds?: boolean
}

export function presentJob(row: JobRow, view: JobView): Static<typeof Job> {
  const archive = row.artifacts.find(({ file_type }) => file_type === 'archive')
  return {
    ...presentCommon(row, view),
    ...(archive && { artifacts_file: { filename: archive.filename, size: archive.size } }),
    artifacts: row.artifacts.map(({ file_type, size, filename, file_format }) => ({
      file_type,
      size,
      filename,
      file_format,
    })),
    runner: row.runner && presentRunner(row.runner, view),
    runner_manager: row.runner_manager && presentRunnerManager(row.runner_manager, view.now),
    artifacts_expire_at: isoOrNull(archive?.expire_at ?? null),
    archived: false,
    tag_list: [...row.tags],
    ...neededBy(row, view),
  }
}

export const presentJobWithProject = (
  row: JobRow,
  project: ProjectIdentityRow,
  view: JobView,
): Static<typeof JobWithProject> => ({
  ...presentCommon(row, view),
  project: presentProjectIdentity(project),
})

export function presentBridge(row: JobRow, view: JobView): Static<typeof Bridge> {
  const { downstream } = row
  return {
    ...presentCommon(row, view),
    downstream_pipeline:
      downstream === null
        ? null
        : presentPipelineBasic(downstream, { site: view.site, fullPath: downstream.full_path }),
    ...neededBy(row, view),
  }
}

const neededBy = (row: JobRow, { withNeeds = false }: JobView) =>
  withNeeds && row.needs !== null ? { needs: [...row.needs] } : {}

function presentCommon(row: JobRow, view: JobView) {
  const { site, fullPath, viewer, now, users } = view
  const user = row.user_id === null ? undefined : users.get(row.user_id)
  return {
    id: row.id,
    status: row.status,
    stage: row.stage,
    name: row.name,
    ref: row.pipeline.ref,
    tag: row.tag,
    coverage: row.coverage,
    allow_failure: row.allow_failure,
    created_at: iso(row.created_at),
    started_at: isoOrNull(row.started_at),
    finished_at: isoOrNull(row.finished_at),
    erased_at: isoOrNull(row.erased_at),
    duration: seconds(row.started_at, row.finished_at ?? now),
    queued_duration: seconds(row.queued_at, row.started_at ?? (row.status === 'pending' ? now : null)),
    user: user === undefined ? null : presentUserPublic(user, viewer, site),
    commit:
      row.commit === null
        ? null
        : presentCommit(
            { ...row.commit, tree: '', isCut: false, signature: undefined, signed: undefined },
            { projectUrl: `${site}/${fullPath}` },
          ),
    pipeline: presentPipelineBasic(row.pipeline, view),
    ...(row.failure_reason !== null && { failure_reason: row.failure_reason }),
    web_url: `${site}/${fullPath}/-/jobs/${row.id}`,
    project: { ci_job_token_scope_enabled: false },
  }
}

const seconds = (from: string | null, to: string | null): number | null =>
  from === null || to === null ? null : Math.max(0, Date.parse(to) - Date.parse(from)) / 1000
