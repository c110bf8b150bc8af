import { ExtensionPoint } from '#platform/extension-point.ts'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * A hook of a feature that counts visible projects. It wraps each change of the visibility or presence of a namespace
 * and everything below it. The namespace is locked.
 */
export type SubtreeChange = (tx: Tx, namespaceId: number, change: () => Promise<void>) => Promise<void>

export const subtreeChanges = new ExtensionPoint<SubtreeChange>('the list of what wraps changes of subtrees')

/** Runs a change of visibility or presence inside all hooks that wrap it. */
export function changeSubtree(tx: Tx, namespaceId: number, change: () => Promise<void>): Promise<void> {
  const wrapped = subtreeChanges.entries.reduce<() => Promise<void>>(
    (inner, wrap) => () => wrap(tx, namespaceId, inner),
    change,
  )
  return wrapped()
}

/**
 * A hook that runs after a group or project has moved with everything below it.
 * @param former the ids of the groups that were above it.
 */
export type AfterMove = (tx: Tx, namespaceId: number, former: readonly number[]) => Promise<void>

export const afterMoves = new ExtensionPoint<AfterMove>('the list of what follows a move')

/** Runs the hooks that follow a move, one after the other. */
export async function finishMove(tx: Tx, namespaceId: number, former: readonly number[]): Promise<void> {
  for (const finish of afterMoves.entries) await finish(tx, namespaceId, former)
}
