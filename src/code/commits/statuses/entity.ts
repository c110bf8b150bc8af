import type { Selectable } from 'kysely'
import { type Static, Type } from 'typebox'
import { presentUserBasic, UserBasic, type UserBasicRow } from '#identity/users/basic.ts'
import type { CommitStatuses } from '#platform/db/schema.ts'
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
  author: UserBasic,
})

export type CommitStatusRow = Pick<
  Selectable<CommitStatuses>,
  | 'id'
  | 'sha'
  | 'ref'
  | 'state'
  | 'name'
  | 'target_url'
  | 'description'
  | 'created_at'
  | 'started_at'
  | 'finished_at'
  | 'coverage'
  | 'pipeline_id'
> & { readonly author: UserBasicRow }

export function presentCommitStatus(row: CommitStatusRow, site: string): Static<typeof CommitStatus> {
  return {
    id: row.id,
    sha: row.sha,
    ref: row.ref,
    status: row.state,
    name: row.name,
    target_url: row.target_url,
    description: row.description,
    created_at: iso(row.created_at),
    started_at: isoOrNull(row.started_at),
    finished_at: isoOrNull(row.finished_at),
    allow_failure: false,
    coverage: row.coverage,
    pipeline_id: row.pipeline_id,
    author: presentUserBasic(row.author, site),
  }
}
