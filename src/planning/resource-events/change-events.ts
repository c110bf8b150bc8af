import type { ResourceEvent } from '#planning/noteables/kind.ts'

/** The events of what was removed, then those of what was added. */
const bothWays = (
  added: readonly number[],
  removed: readonly number[],
  event: (id: number, action: 'add' | 'remove') => ResourceEvent,
): ResourceEvent[] => [...removed.map((id) => event(id, 'remove')), ...added.map((id) => event(id, 'add'))]

interface LabelChange {
  readonly added: readonly number[]
  readonly removed: readonly number[]
}

/** The events of a change of labels, by their ids. */
export const labelEvents = ({ added, removed }: LabelChange): ResourceEvent[] =>
  bothWays(added, removed, (label_id, action) => ({ kind: 'label', label_id, action }))

interface MilestoneChange {
  readonly from: number | null
  readonly to: number | null
}

/** The events of a change of the milestone. */
export function milestoneEvents({ from, to }: MilestoneChange): ResourceEvent[] {
  const ids = (id: number | null) => (id === null ? [] : [id])
  return bothWays(ids(to), ids(from), (milestone_id, action) => ({ kind: 'milestone', milestone_id, action }))
}
