import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Json } from '#platform/db/schema.ts'

/** How somebody wants a merge request merged. Absent fields are up to the merge request and its project. */
export interface MergeWish {
  /** The commit that they have seen. Another one is not merged. */
  readonly sha?: string
  readonly squash?: boolean
  readonly should_remove_source_branch?: boolean
  readonly merge_commit_message?: string
  readonly squash_commit_message?: string
}

/** A wish that waits until the merge request can be merged, as its row has it. */
const AutoMerge = Type.Object({
  user_id: Type.Integer(),
  site: Type.String(),
  sha: Type.String(),
  squash: Type.Optional(Type.Boolean()),
  should_remove_source_branch: Type.Optional(Type.Boolean()),
  merge_commit_message: Type.Optional(Type.String()),
  squash_commit_message: Type.Optional(Type.String()),
})

export type AutoMerge = Static<typeof AutoMerge>

/** Reads `auto_merge` of a row; undefined for none. */
export const readAutoMerge = (json: Json | null): AutoMerge | undefined =>
  Check(AutoMerge, json) ? json : undefined
