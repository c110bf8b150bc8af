import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { Notice } from '../notice.ts'
import { assignedTodos, labelled, reassigned, to } from './shared.ts'

/** What happens to issues. */
export const issueRules = readFacts(
  [
    'issue created',
    'issue closed',
    'issue reopened',
    'issue assignees changed',
    'issue labels changed',
    'issue moved',
    'issue due',
  ],
  (fact): Notice | undefined => {
    const about = to(fact)
    switch (fact.name) {
      case 'issue created':
        if (fact.details.moved) return undefined
        return {
          ...about,
          event: 'new_issue',
          text: 'own',
          labels: 'all',
          opens: true,
          key: `noteable-${about.about.noteable}`,
          says: 'created an issue',
          todos: { mentioned: true },
        }
      case 'issue closed':
        if (fact.details.moved) return undefined
        return { ...about, event: 'close_issue', says: 'closed the issue', todos: { resolves: true } }
      case 'issue reopened':
        return { ...about, event: 'reopen_issue', says: 'reopened the issue' }
      case 'issue assignees changed':
        return {
          ...about,
          ...reassigned(fact.details),
          event: 'reassign_issue',
          todos: assignedTodos(fact.details),
        }
      case 'issue labels changed':
        return labelled(about, fact.details)
      case 'issue moved':
        return { ...about, event: null, says: `moved the issue to ${fact.details.reference}` }
      case 'issue due':
        return {
          ...about,
          event: 'issue_due',
          watched: false,
          key: `due-${fact.details.due_date}-${about.about.noteable}`,
          says: `The issue is due tomorrow, on ${fact.details.due_date}.`,
        }
    }
  },
)
