import type { FactOf } from '#platform/facts/fact.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { ResourceEvent } from '#planning/noteables/kind.ts'
import { labelEvents } from '#planning/resource-events/change-events.ts'

const resourceEventFacts = ['epic closed', 'epic reopened', 'epic labels changed'] as const

function eventsOf(fact: FactOf<(typeof resourceEventFacts)[number]>): ResourceEvent[] {
  switch (fact.name) {
    case 'epic closed':
      return [{ kind: 'state', state: 'closed' }]
    case 'epic reopened':
      return [{ kind: 'state', state: 'reopened' }]
    case 'epic labels changed':
      return labelEvents(fact.details)
  }
}

/** The resource events of epics. */
export const epicResourceEvents = {
  lists: ['state', 'label'],
  of: readFacts(resourceEventFacts, eventsOf),
} as const
