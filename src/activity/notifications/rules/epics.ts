import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { Notice } from '../notice.ts'
import { labelled, to } from './shared.ts'

/** What happens to epics. */
export const epicRules = readFacts(
  ['epic created', 'epic closed', 'epic reopened', 'epic labels changed'],
  (fact): Notice | undefined => {
    const about = to(fact)
    switch (fact.name) {
      case 'epic created':
        return {
          ...about,
          event: 'new_epic',
          text: 'own',
          labels: 'all',
          opens: true,
          key: `noteable-${about.about.noteable}`,
          says: 'created an epic',
          todos: { mentioned: true },
        }
      case 'epic closed':
        return { ...about, event: null, says: 'closed the epic', todos: { resolves: true } }
      case 'epic reopened':
        return { ...about, event: null, says: 'reopened the epic' }
      case 'epic labels changed':
        return labelled(about, fact.details)
    }
  },
)
