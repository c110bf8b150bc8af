import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { Notice } from '../notice.ts'
import { assignedTodos, reassigned, to } from './shared.ts'

/** What happens to alerts. Nobody chooses these events: those are told who watch the project or take part. */
export const alertRules = readFacts(
  ['alert created', 'alert recovered', 'alert status changed', 'alert assignees changed'],
  (fact): Notice => {
    const about = { ...to(fact), event: null }
    switch (fact.name) {
      case 'alert created':
        return {
          ...about,
          mails: fact.details.mails,
          text: 'own',
          opens: true,
          key: `noteable-${about.about.noteable}`,
          says: `An alert was reported. Its severity is ${fact.details.severity}.`,
        }
      case 'alert recovered':
        return { ...about, mails: fact.details.mails, says: 'The alert is over.' }
      case 'alert status changed':
        return {
          ...about,
          watched: false,
          says: `changed the status to ${fact.details.to}`,
          todos: { resolves: true },
        }
      case 'alert assignees changed':
        return {
          ...about,
          ...reassigned(fact.details),
          watched: false,
          todos: assignedTodos(fact.details),
        }
    }
  },
)
