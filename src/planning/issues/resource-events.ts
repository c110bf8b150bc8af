import type { FactOf } from '#platform/facts/fact.ts'
import { labelEvents, milestoneEvents } from '#planning/resource-events/change-events.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { ResourceEvent } from '#planning/noteables/kind.ts'

const resourceEventFacts = [
  'issue closed',
  'issue reopened',
  'issue labels changed',
  'issue milestone changed',
  'issue weight changed',
] as const

function eventsOf(fact: FactOf<(typeof resourceEventFacts)[number]>): ResourceEvent[] {
  switch (fact.name) {
    case 'issue closed': {
      const { by } = fact.details
      const { sha, noteable_id } = by ?? {}
      const commit = sha !== undefined &&
        noteable_id !== undefined && { source_commit: sha, about_noteable_id: noteable_id }
      return [{ kind: 'state', state: 'closed', ...commit }]
    }
    case 'issue reopened':
      return [{ kind: 'state', state: 'reopened' }]
    case 'issue labels changed':
      return labelEvents(fact.details)
    case 'issue milestone changed':
      return milestoneEvents(fact.details)
    case 'issue weight changed':
      return [{ kind: 'weight', weight: fact.details.to }]
  }
}

/** The resource events of issues. */
export const issueResourceEvents = {
  lists: ['state', 'label', 'milestone', 'weight', 'iteration'],
  of: readFacts(resourceEventFacts, eventsOf),
} as const
