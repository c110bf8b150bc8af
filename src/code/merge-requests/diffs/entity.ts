import { type Static, Type } from 'typebox'
import { DiffEntity } from '#code/commits/diff-entity.ts'
import { CommitEntity } from '#code/commits/entity.ts'
import { entity, integer, moment, nullable, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { MergeRequestSingle } from '../entity.ts'
import type { VersionRow } from './queries.ts'

/** A merge request with what it changes. */
export const MergeRequestChanged = entity('MergeRequestChanges', {
  ...MergeRequestSingle.properties,
  changes: Type.Array(DiffEntity),
  overflow: Type.Boolean({ description: 'Files or their diffs are left out because there are too many.' }),
})

/** A state of the source branch that a merge request had. */
export const Version = entity('MergeRequestVersion', {
  id: integer(),
  head_commit_sha: Type.String(),
  base_commit_sha: nullable(Type.String({ description: 'Null for unrelated histories.' })),
  start_commit_sha: Type.String(),
  created_at: moment(),
  merge_request_id: integer(),
  state: oneOf(['collected', 'empty', 'overflow'], {
    description: '`empty` without changes, `overflow` for more than 1,000 files.',
  }),
  real_size: Type.String({ description: 'How many files differ; `1000+` for more than 1,000.' }),
  patch_id_sha: nullable(
    Type.String({
      description:
        'What `git patch-id --stable` says of the diff. Null without changes, beyond 16 MiB, and until the server found it.',
    }),
  ),
})

export const VersionWithDiffs = entity('MergeRequestVersionFull', {
  ...Version.properties,
  commits: Type.Array(CommitEntity),
  diffs: Type.Array(DiffEntity),
})

export function presentVersion(row: VersionRow): Static<typeof Version> {
  const { id, merge_request_id, head_sha, base_sha, start_sha, changed_files, created_at, patch_id } = row
  const isMore = changed_files > 1_000
  return {
    id,
    head_commit_sha: head_sha,
    base_commit_sha: base_sha,
    start_commit_sha: start_sha,
    created_at: iso(created_at),
    merge_request_id,
    state: isMore ? 'overflow' : changed_files === 0 ? 'empty' : 'collected',
    real_size: isMore ? '1000+' : String(changed_files),
    patch_id_sha: patch_id || null,
  }
}
