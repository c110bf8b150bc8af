import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * What keeps counts of visible projects. It wraps each change of the visibility or presence of what is at or below a
 * namespace, which is locked.
 */
export type SubtreeChange = (tx: Tx, namespaceId: number, change: () => Promise<void>) => Promise<void>

export const subtreeChanges = new ExtensionPoint<SubtreeChange>('the list of what wraps changes of subtrees')

/** Runs a change of visibility or presence with all that wraps it. */
export function changeSubtree(tx: Tx, namespaceId: number, change: () => Promise<void>): Promise<void> {
  const wrapped = subtreeChanges.entries.reduce<() => Promise<void>>(
    (inner, wrap) => () => wrap(tx, namespaceId, inner),
    change,
  )
  return wrapped()
}

/**
 * What is to be done after a group or project has moved with all that is below it.
 * @param former the ids of the groups that were above it.
 */
export type AfterMove = (tx: Tx, namespaceId: number, former: readonly number[]) => Promise<void>

export const afterMoves = new ExtensionPoint<AfterMove>('the list of what follows a move')

/** Does what follows a move, one after the other. */
export async function finishMove(tx: Tx, namespaceId: number, former: readonly number[]): Promise<void> {
  for (const finish of afterMoves.entries) await finish(tx, namespaceId, former)
}
