import { type Static, Type } from 'typebox'
import { Check } from 'typebox/schema'
import type { Json } from '#platform/db/schema.ts'

/** How to merge. The merge request and its project decide what the options leave out. */
export interface MergeOptions {
  /** The commit to merge: a merge request with another one is refused. */
  readonly sha?: string
  readonly squash?: boolean
  readonly should_remove_source_branch?: boolean
  readonly merge_commit_message?: string
  readonly squash_commit_message?: string
}

/** The options of an automatic merge, as the row of the merge request has them. */
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
