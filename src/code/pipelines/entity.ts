import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import { entity, flag, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { statusWords } from './status-words.ts'

export const statuses = [
  'created',
  'waiting_for_resource',
  'preparing',
  'waiting_for_callback',
  'pending',
  'running',
  'success',
  'failed',
  'canceling',
  'canceled',
  'skipped',
  'manual',
  'scheduled',
] as const satisfies readonly CiStatus[]

/** A pipeline in lists, and as a part of other resources. */
export const PipelineBasic = entity('PipelineBasic', {
  id: integer(),
  iid: integer(),
  project_id: integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: oneOf<CiStatus>(statuses),
  source: Type.String(),
  created_at: moment(),
  updated_at: moment(),
  web_url: Type.String(),
})

/** The same with its name, as lists have it. */
export const PipelineListed = entity('PipelineListed', {
  ...PipelineBasic.properties,
  name: nullable(Type.String()),
})

const DetailedStatus = Type.Object({
  icon: Type.String(),
  text: Type.String(),
  label: Type.String(),
  group: Type.String(),
  tooltip: Type.String(),
  has_details: Type.Boolean(),
  details_path: Type.String(),
  illustration: Type.Unsafe<null>({ type: 'null' }),
  favicon: Type.String(),
})

/** What a pipeline or a job says only where `with_permissions` asks for it. */
export const UserPermissions = Type.Optional(
  Type.Object(
    { update: Type.Boolean() },
    { description: 'Only where `with_permissions` asks for it: whether you may run, cancel and repeat it.' },
  ),
)

/** Asks for {@link UserPermissions}. */
export const WithPermissions = Type.Object({
  with_permissions: Type.Optional(
    flag({ description: 'Adds what you may do with it. An addition of Forgelet.' }),
  ),
})

export const Pipeline = entity('Pipeline', {
  user_permissions: UserPermissions,
  ...PipelineListed.properties,
  before_sha: Type.String(),
  tag: Type.Boolean(),
  yaml_errors: nullable(Type.String()),
  user: nullable(UserBasic),
  started_at: nullable(moment()),
  finished_at: nullable(moment()),
  committed_at: nullable(moment()),
  duration: nullable(integer({ description: 'Seconds in which a job ran.' })),
  queued_duration: nullable(integer({ description: 'Seconds until the first job ran.' })),
  coverage: nullable(Type.String({ description: 'Percent, with two decimals.' })),
  detailed_status: DetailedStatus,
  archived: Type.Boolean(),
})

export const PipelineVariable = entity('PipelineVariable', {
  key: Type.String(),
  value: Type.String(),
  variable_type: oneOf(['env_var', 'file']),
  raw: Type.Boolean(),
})

export const basicColumns = [
  'id',
  'iid',
  'project_id',
  'sha',
  'ref',
  'status',
  'source',
  'created_at',
  'updated_at',
] as const

export interface PipelineBasicRow {
  readonly id: number
  readonly iid: number
  readonly project_id: number
  readonly sha: string
  readonly ref: string
  readonly status: CiStatus
  readonly source: string
  readonly created_at: string
  readonly updated_at: string
}

/** A pipeline with everything that presenting it needs. */
export interface PipelineRow extends PipelineBasicRow {
  readonly name: string | null
  readonly before_sha: string
  readonly tag: boolean
  readonly yaml_errors: string | null
  readonly user: UserBasicRow | null
  readonly started_at: string | null
  readonly finished_at: string | null
  readonly committed_at: string | null
  readonly coverage: number | null
  /** Whether a job has failed that may. */
  readonly warns: boolean
  /** Seconds; null before a job has run. */
  readonly duration: number | null
}

/** Where the pages of a project are. */
export interface ProjectSite {
  readonly site: string
  readonly fullPath: string
}

/** A pipeline, as `alias`, as JSON in statements about other rows. */
export const pipelineBasicJson = (alias: string) => {
  const of = (column: string) => sql.ref(`${alias}.${column}`)
  return sql<PipelineBasicRow>`json_build_object(${sql.join(
    basicColumns.flatMap((name) => [sql.lit(name), of(name)]),
  )})`
}

export const presentPipelineBasic = (
  row: PipelineBasicRow,
  { site, fullPath }: ProjectSite,
): Static<typeof PipelineBasic> => ({
  id: row.id,
  iid: row.iid,
  project_id: row.project_id,
  sha: row.sha,
  ref: row.ref,
  status: row.status,
  source: row.source,
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
  web_url: `${site}/${fullPath}/-/pipelines/${row.id}`,
})

export const presentPipelineListed = (
  row: PipelineBasicRow & { readonly name: string | null },
  at: ProjectSite,
): Static<typeof PipelineListed> => ({ ...presentPipelineBasic(row, at), name: row.name })

export function presentPipeline(row: PipelineRow, at: ProjectSite): Static<typeof Pipeline> {
  const { started_at, created_at, duration, coverage } = row
  return {
    ...presentPipelineListed(row, at),
    before_sha: row.before_sha,
    tag: row.tag,
    yaml_errors: row.yaml_errors,
    user: row.user === null ? null : presentUserBasic(row.user, at.site),
    started_at: isoOrNull(started_at),
    finished_at: isoOrNull(row.finished_at),
    committed_at: isoOrNull(row.committed_at),
    duration: duration === null ? null : Math.round(duration),
    queued_duration: started_at === null ? null : secondsBetween(created_at, started_at),
    coverage: coverage === null ? null : coverage.toFixed(2),
    detailed_status: detailedStatus(row, at),
    archived: false,
  }
}

const secondsBetween = (from: string, to: string): number =>
  Math.max(0, Math.round((Date.parse(to) - Date.parse(from)) / 1000))

/** How pages show the status of a pipeline. */
export function detailedStatus(
  { id, status, warns }: Pick<PipelineRow, 'id' | 'status' | 'warns'>,
  { fullPath }: ProjectSite,
): Static<typeof DetailedStatus> {
  const { text, label, group, icon } = statusWords(status, warns)
  return {
    icon: `status_${icon}`,
    text,
    label,
    group,
    tooltip: label,
    has_details: true,
    details_path: `/${fullPath}/-/pipelines/${id}`,
    illustration: null,
    favicon: `/assets/ci_favicons/favicon_status_${icon}.png`,
  }
}
