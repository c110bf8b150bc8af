import type { Tx } from '#platform/db/transaction.ts'
import { assertFew } from './assert-few.ts'

/** What came and what went. */
export interface Difference<T> {
  readonly added: readonly T[]
  readonly removed: readonly T[]
}

export const isEmpty = ({ added, removed }: Difference<unknown>): boolean =>
  added.length === 0 && removed.length === 0

/** Labels to set, to add and to remove. */
export interface LabelChanges {
  readonly label_ids?: readonly number[]
  readonly add_label_ids?: readonly number[]
  readonly remove_label_ids?: readonly number[]
}

/** Which labels come to an item and which go, by their ids. @throws 400 for too many */
export function labelDifference(
  labels: readonly { readonly id: number }[],
  { label_ids, add_label_ids = [], remove_label_ids = [] }: LabelChanges,
): Difference<number> {
  const before = new Set(labels.map(({ id }) => id))
  const after = new Set([...(label_ids ?? before), ...add_label_ids])
  for (const id of remove_label_ids) after.delete(id)
  const added = [...after].filter((id) => !before.has(id))
  const removed = [...before].filter((id) => !after.has(id))
  assertFew('labels', added, before.size - removed.length)
  return { added, removed }
}

/** The state of an item that is open or closed after it was closed or reopened, or after nothing. */
export function stateAfter<State extends string>(
  state: State,
  event: 'close' | 'reopen' | undefined,
): State | 'closed' | 'opened' {
  if (event === undefined) return state
  return event === 'close' ? 'closed' : 'opened'
}

/** When and by whom an item is closed, for one whose state becomes this one; nothing for one whose state stays. */
export function closedBy(tx: Tx, state: string | undefined) {
  if (state === 'closed') return { closed_at: tx.now, closed_by_id: tx.author?.id ?? null }
  return state === 'opened' ? { closed_at: null, closed_by_id: null } : {}
}
