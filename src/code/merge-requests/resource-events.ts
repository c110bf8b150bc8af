import type { FactOf } from '#platform/facts/fact.ts'
import { bothWays } from '#planning/resource-events/both-ways.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { ResourceEvent } from '#planning/noteables/kind.ts'

const names = [
  'merge request closed',
  'merge request reopened',
  'merge request merged',
  'merge request labels changed',
  'merge request milestone changed',
] as const

function eventsOf(fact: FactOf<(typeof names)[number]>): ResourceEvent[] {
  switch (fact.name) {
    case 'merge request closed':
      return [{ kind: 'state', state: 'closed' }]
    case 'merge request reopened':
      return [{ kind: 'state', state: 'reopened' }]
    case 'merge request merged':
      return [{ kind: 'state', state: 'merged' }]
    case 'merge request labels changed': {
      const { added, removed } = fact.details
      return bothWays(added, removed, (label_id, action) => ({ kind: 'label', label_id, action }))
    }
    case 'merge request milestone changed': {
      const { from, to } = fact.details
      const ids = (id: number | null) => (id === null ? [] : [id])
      return bothWays(ids(to), ids(from), (milestone_id, action) => ({
        kind: 'milestone',
        milestone_id,
        action,
      }))
    }
  }
}

/** The resource events of merge requests. */
export const mergeRequestResourceEvents = {
  lists: ['state', 'label', 'milestone'],
  of: readFacts(names, eventsOf),
} as const
