import type { FactOf } from '#platform/facts/fact.ts'
import { bothWays } from '#planning/resource-events/both-ways.ts'
import { readFacts } from '#planning/noteables/fact-reader.ts'
import type { ResourceEvent } from '#planning/noteables/kind.ts'

const names = [
  'issue closed',
  'issue reopened',
  'issue labels changed',
  'issue milestone changed',
  'issue weight changed',
] as const

function eventsOf(fact: FactOf<(typeof names)[number]>): ResourceEvent[] {
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
    case 'issue labels changed': {
      const { added, removed } = fact.details
      return bothWays(added, removed, (label_id, action) => ({ kind: 'label', label_id, action }))
    }
    case 'issue milestone changed': {
      const { from, to } = fact.details
      const ids = (id: number | null) => (id === null ? [] : [id])
      return bothWays(ids(to), ids(from), (milestone_id, action) => ({
        kind: 'milestone',
        milestone_id,
        action,
      }))
    }
    case 'issue weight changed':
      return [{ kind: 'weight', weight: fact.details.to }]
  }
}

/** The resource events of issues. */
export const issueResourceEvents = {
  lists: ['state', 'label', 'milestone', 'weight'],
  of: readFacts(names, eventsOf),
} as const
