import { Type } from 'typebox'
import { DiffEntity } from '#code/commits/diff-entity.ts'
import { CommitEntity } from '#code/commits/entity.ts'
import { entity, nullable } from '#platform/http/schema.ts'

/** What a branch, tag or commit has that another has not. */
export const CompareEntity = entity('Comparison', {
  commit: nullable(CommitEntity),
  commits: Type.Array(CommitEntity),
  diffs: Type.Array(DiffEntity),
  compare_timeout: Type.Boolean({ description: 'Commits or diffs are left out because there are too many.' }),
  compare_same_ref: Type.Boolean(),
  web_url: Type.String(),
})
