import { longerThan } from '#platform/http/scalars.ts'
import { removeReviewers, replaceReviewers, requestReview } from '#planning/quick-actions/people-actions.ts'
import { type ActionTable, done, refused } from '#planning/quick-actions/quick-action.ts'
import { asDraft, isDraft, withoutDraft } from './draft.ts'

/** The maximum length of titles. */
const MAX_TITLE = 255

/** Commands that only the notes of merge requests have; docs/guides/quick-actions.md shows the same table. */
export const reviewerActions: ActionTable = {
  draft: {
    does: 'Marks the merge request as a draft, which nobody can merge.',
    changes: 'title',
    run: ({ title }) => {
      if (isDraft(title)) return refused('This merge request is a draft already.')
      const marked = asDraft(title)
      if (longerThan(marked, MAX_TITLE)) return refused(`A title has at most ${MAX_TITLE} characters.`)
      return done('Marked this merge request as a draft.', { title: marked })
    },
  },
  ready: {
    does: 'Marks the merge request as ready.',
    changes: 'title',
    run: ({ title }) =>
      isDraft(title)
        ? done('Marked this merge request as ready.', { title: withoutDraft(title) })
        : refused('This merge request is ready already.'),
  },
  assign_reviewer: {
    aliases: ['reviewer', 'request_review'],
    takes: '@alice @bob, or me',
    does: 'Asks more people for a review. If one of them cannot read the project, it asks nobody.',
    changes: 'reviewer_ids',
    names: 'people',
    run: requestReview,
  },
  reassign_reviewer: {
    takes: '@alice @bob, or me',
    does: 'Replaces the reviewers by these people.',
    changes: 'reviewer_ids',
    names: 'people',
    run: replaceReviewers,
  },
  unassign_reviewer: {
    aliases: ['remove_reviewer'],
    takes: '@alice @bob, me, or nothing',
    does: 'Removes these reviewers, or all.',
    changes: 'reviewer_ids',
    run: removeReviewers,
  },
}
