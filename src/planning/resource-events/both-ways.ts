import type { ResourceEvent } from '#planning/noteables/kind.ts'

/** The events of what was removed, then those of what was added. */
export const bothWays = (
  added: readonly number[],
  removed: readonly number[],
  event: (id: number, action: 'add' | 'remove') => ResourceEvent,
): ResourceEvent[] => [...removed.map((id) => event(id, 'remove')), ...added.map((id) => event(id, 'add'))]
