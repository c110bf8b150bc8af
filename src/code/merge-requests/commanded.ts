import { defined } from '#platform/defined.ts'
import { type Draft, idsOf, type Person, sameIds } from '#planning/quick-actions/draft.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'

/** What commands change of a merge request alone. */
export interface MergeRequestDraft extends Draft {
  readonly reviewers: readonly Person[]
  /** The commit that is to be merged. */
  readonly merge?: string
  /** Whether it is to be rebased. */
  readonly rebase?: boolean
  /** The branch into which it goes from now on. */
  readonly targetBranch?: string
  /** How the writer's review ends. */
  readonly review?: 'approved' | 'unapproved' | 'reviewed' | 'requested_changes'
}

/** What differs between two drafts in these fields. */
export const ownChangesBetween = (before: MergeRequestDraft, after: MergeRequestDraft): CommandsChanges =>
  defined({
    merge: after.merge,
    target_branch: after.targetBranch,
    rebase: after.rebase,
    review: after.review,
    ...(sameIds(before.reviewers, after.reviewers) ? {} : { reviewer_ids: idsOf(after.reviewers) }),
  })
