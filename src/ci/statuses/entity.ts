import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import type { ProjectSite } from '#code/pipelines/entity.ts'
import type { CiStatus, CommitStatuses } from '#platform/db/schema.ts'
import { entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'

/** How a check of a commit went. */
export const CommitStatus = entity('CommitStatus', {
  id: integer(),
  sha: Type.String(),
  ref: Type.String(),
  status: Type.String(),
  name: Type.String(),
  target_url: nullable(Type.String()),
  description: nullable(Type.String()),
  created_at: moment(),
  started_at: nullable(moment()),
  finished_at: nullable(moment()),
  allow_failure: Type.Boolean(),
  coverage: nullable(Type.Number()),
  pipeline_id: integer(),
  author: nullable(UserBasic),
})

export type CommitStatusRow = Pick<
  Selectable<CommitStatuses>,
  | 'id'
  | 'sha'
  | 'ref'
  | 'name'
  | 'target_url'
  | 'description'
  | 'created_at'
  | 'started_at'
  | 'finished_at'
  | 'coverage'
  | 'pipeline_id'
> & {
  readonly state: CiStatus
  /** Null where the account of whoever started a job is gone. */
  readonly author: UserBasicRow | null
  readonly allow_failure: boolean
  readonly is_job: boolean
}

export function presentCommitStatus(
  row: CommitStatusRow,
  { site, fullPath }: ProjectSite,
): Static<typeof CommitStatus> {
  return {
    id: row.id,
    sha: row.sha,
    ref: row.ref,
    status: row.state,
    name: row.name,
    target_url: row.is_job ? `${site}/${fullPath}/-/jobs/${row.id}` : row.target_url,
    description: row.description,
    created_at: iso(row.created_at),
    started_at: isoOrNull(row.started_at),
    finished_at: isoOrNull(row.finished_at),
    allow_failure: row.allow_failure,
    coverage: row.coverage,
    pipeline_id: row.pipeline_id,
    author: row.author === null ? null : presentUserBasic(row.author, site),
  }
}
