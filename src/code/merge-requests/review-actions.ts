import { longerThan } from '#platform/http/scalars.ts'
import { without } from '#planning/quick-actions/draft.ts'
import { peopleIn } from '#planning/quick-actions/names.ts'
import { allOf, are, withPeople } from '#planning/quick-actions/people-actions.ts'
import {
  type ActionTable,
  type CommandContext,
  done,
  type CommandOutcome,
  commandFailed,
} from '#planning/quick-actions/quick-action.ts'
import type { MergeRequestDraft } from './commanded.ts'
import { asDraft, isDraft, withoutDraft } from './draft.ts'

/** The maximum length of titles. */
const MAX_TITLE = 255

/** Commands that only the notes of merge requests have; docs/guides/quick-actions.md shows the same table. */
export const reviewerActions: ActionTable<MergeRequestDraft> = {
  draft: {
    does: 'Marks the merge request as a draft, which nobody can merge.',
    changes: 'title',
    run: ({ title }) => {
      if (isDraft(title)) return commandFailed('This merge request is a draft already.')
      const marked = asDraft(title)
      if (longerThan(marked, MAX_TITLE)) return commandFailed(`A title has at most ${MAX_TITLE} characters.`)
      return done('Marked this merge request as a draft.', { title: marked })
    },
  },
  ready: {
    does: 'Marks the merge request as ready.',
    changes: 'title',
    run: ({ title }) =>
      isDraft(title)
        ? done('Marked this merge request as ready.', { title: withoutDraft(title) })
        : commandFailed('This merge request is ready already.'),
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

type Reviewed = CommandOutcome<MergeRequestDraft>

/** Adds people to the reviewers. */
function requestReview({ reviewers }: MergeRequestDraft, args: string, around: CommandContext): Reviewed {
  return withPeople<MergeRequestDraft>('/assign_reviewer', args, around, (people) => {
    const added = without(people, reviewers)
    if (added.length === 0)
      return done<MergeRequestDraft>(`${allOf(people)} ${are(people)} asked for a review already.`)
    return done<MergeRequestDraft>(`Requested a review from ${allOf(added)}.`, {
      reviewers: [...reviewers, ...added],
    })
  })
}

/** Replaces the reviewers. */
function replaceReviewers(_: MergeRequestDraft, args: string, around: CommandContext): Reviewed {
  return withPeople<MergeRequestDraft>('/reassign_reviewer', args, around, (people) =>
    done<MergeRequestDraft>(`Requested a review from ${allOf(people)} instead.`, { reviewers: people }),
  )
}

/** Removes reviewers, also those who may no longer read the project. */
function removeReviewers({ reviewers }: MergeRequestDraft, args: string, { me }: CommandContext): Reviewed {
  const names = peopleIn(args, me)
  const removed =
    names.length === 0
      ? reviewers
      : reviewers.filter(({ username }) => names.includes(username.toLowerCase()))
  if (removed.length === 0) return commandFailed('None of them is a reviewer.')
  return done<MergeRequestDraft>(`Removed the request for a review from ${allOf(removed)}.`, {
    reviewers: without(reviewers, removed),
  })
}
