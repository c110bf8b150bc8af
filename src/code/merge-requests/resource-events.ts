import type { FactOf } from '#platform/facts/fact.ts'
import { labelEvents, milestoneEvents } from '#planning/resource-events/change-events.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { ResourceEvent } from '#planning/noteables/kind.ts'

const resourceEventFacts = [
  'merge request closed',
  'merge request reopened',
  'merge request merged',
  'merge request labels changed',
  'merge request milestone changed',
] as const

function eventsOf(fact: FactOf<(typeof resourceEventFacts)[number]>): ResourceEvent[] {
  switch (fact.name) {
    case 'merge request closed':
      return [{ kind: 'state', state: 'closed' }]
    case 'merge request reopened':
      return [{ kind: 'state', state: 'reopened' }]
    case 'merge request merged':
      return [{ kind: 'state', state: 'merged' }]
    case 'merge request labels changed':
      return labelEvents(fact.details)
    case 'merge request milestone changed':
      return milestoneEvents(fact.details)
  }
}

/** The resource events of merge requests. */
export const mergeRequestResourceEvents = {
  lists: ['state', 'label', 'milestone'],
  of: readFacts(resourceEventFacts, eventsOf),
} as const
