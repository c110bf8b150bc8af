import type { PushedOptions } from './push-options.ts'
import { activity, type DetailsOf } from '#platform/facts/definitions.ts'

/** What a push, or any other change of references, did to a branch or tag; or to many at once. */
export interface ReferencePush {
  readonly action: 'created' | 'pushed' | 'removed'
  readonly ref_type: 'branch' | 'tag'
  /** The name without its prefix; null for many at once. */
  readonly ref: string | null
  /** How many branches or tags there were; null for a single one. */
  readonly ref_count: number | null
  /** Null where the reference was created or removed, and for many at once. */
  readonly commit_from: string | null
  readonly commit_to: string | null
  /** New commits on a branch. */
  readonly commit_count: number
  /** The title of the last commit; null where the reference was removed, and for many at once. */
  readonly commit_title: string | null
  /** What the person added with `git push -o`, if anything. */
  readonly push_options?: PushedOptions
}

export const repositoryFacts = {
  'references pushed': activity<ReferencePush>(),
}

declare module '#platform/facts/fact.ts' {
  interface Facts extends DetailsOf<typeof repositoryFacts> {}
}
