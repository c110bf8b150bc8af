import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { Notice } from '../notice.ts'
import { assignedTodos, labelled, reassigned, to } from './shared.ts'

/** What happens to merge requests. */
export const mergeRequestRules = readFacts(
  [
    'merge request created',
    'merge request closed',
    'merge request reopened',
    'merge request merged',
    'merge request assignees changed',
    'merge request reviewers changed',
    'merge request labels changed',
    'merge request commits pushed',
    'merge request auto-merge changed',
    'merge request approved',
    'merge request unapproved',
    'merge request review submitted',
    'merge request conflicts found',
  ],
  (fact): Notice | undefined => {
    const about = to(fact)
    switch (fact.name) {
      case 'merge request created':
        return {
          ...about,
          event: 'new_merge_request',
          text: 'own',
          labels: 'all',
          approvers: true,
          opens: true,
          key: `noteable-${about.about.noteable}`,
          says: 'created a merge request',
          todos: { mentioned: true, approvers: true },
        }
      case 'merge request closed':
        return {
          ...about,
          event: 'close_merge_request',
          says: 'closed the merge request',
          todos: { resolves: true },
        }
      case 'merge request reopened':
        return { ...about, event: 'reopen_merge_request', says: 'reopened the merge request' }
      case 'merge request merged':
        return {
          ...about,
          event: 'merge_merge_request',
          says: 'merged the merge request',
          todos: { resolves: true },
        }
      case 'merge request assignees changed':
        return {
          ...about,
          ...reassigned(fact.details),
          event: 'reassign_merge_request',
          todos: assignedTodos(fact.details),
        }
      case 'merge request reviewers changed':
        return {
          ...about,
          ...reassigned(fact.details, 'review_requested'),
          event: 'change_reviewer_merge_request',
          todos: assignedTodos(fact.details, 'review_requested'),
        }
      case 'merge request labels changed':
        return labelled(about, fact.details)
      case 'merge request commits pushed':
        return {
          ...about,
          event: 'push_to_merge_request',
          watched: false,
          says: 'pushed new commits to the merge request',
          todos: { resolves: true },
        }
      case 'merge request auto-merge changed':
        if (fact.details.state !== 'enabled') return undefined
        return {
          ...about,
          event: 'merge_when_pipeline_succeeds',
          says: 'set the merge request to merge automatically',
        }
      case 'merge request approved':
        return {
          ...about,
          event: null,
          says: 'approved the merge request',
          todos: { resolves: true },
        }
      case 'merge request unapproved':
        return { ...about, event: null, says: 'took back the approval of the merge request' }
      case 'merge request review submitted':
        // Its notes are told by themselves.
        return {
          ...about,
          event: null,
          mails: false,
          says: 'reviewed the merge request',
          todos: { resolves: true, reviewed: true },
        }
      case 'merge request conflicts found': {
        const { author_id: id } = fact.details
        return {
          ...about,
          event: null,
          concerns: [{ id, because: 'own' }],
          onlyConcerned: true,
          ofOneself: true,
          says: 'The merge request has conflicts, so it cannot be merged.',
          todos: { adds: [{ id, action: 'unmergeable' }] },
        }
      }
    }
  },
)
