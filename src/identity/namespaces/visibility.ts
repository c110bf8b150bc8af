import { sql } from 'kysely'
import type { Visibility } from '#platform/db/schema.ts'
import { subtreeIds } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid } from '#platform/refusals.ts'
import { changeSubtree } from './extension-points.ts'
import type { LockedNode } from './lock.ts'
import { fitsBelow } from './tree.ts'

const refuse = (sentence: string) => invalid({ visibility_level: [sentence] })

/** What decides which visibilities a caller may set. */
export interface VisibilityRules {
  readonly admin: boolean
  /** The setting `restricted_visibility_levels`. */
  readonly restricted: readonly Visibility[]
}

/** @throws 400 for a visibility that only administrators may set. */
export function assertAllowed(visibility: Visibility, { admin, restricted }: VisibilityRules): void {
  if (!admin && restricted.includes(visibility)) {
    throw refuse(`${visibility} has been restricted by your administrator`)
  }
}

/**
 * Changes the visibility of a group or project.
 * @param node locked by `lockNode`.
 * @throws 400 when it would be more visible than its parent, or less visible than something in it.
 */
export async function changeVisibility(
  tx: Tx,
  { id: nodeId, parent }: Pick<LockedNode, 'id' | 'parent'>,
  visibility: Visibility,
): Promise<void> {
  if (parent && !fitsBelow(visibility, parent.visibility)) {
    throw refuse(`${visibility} is not allowed since the parent is ${parent.visibility}`)
  }
  const inside = await tx.db
    .selectFrom('namespaces')
    .select('kind')
    .where('parent_id', '=', nodeId)
    .where('deleted_at', 'is', null)
    .where('visibility', '>', visibility)
    .limit(1)
    .executeTakeFirst()
  if (inside !== undefined) {
    throw refuse(`${visibility} is not allowed since a ${inside.kind} inside is more visible`)
  }
  await changeSubtree(tx, nodeId, async () => {
    await tx.db.updateTable('namespaces').set({ visibility }).where('id', '=', nodeId).execute()
  })
}

/** Lowers the visibility of a node and everything below it to at most this one. */
export async function limitVisibility(tx: Tx, nodeId: number, visibility: Visibility): Promise<void> {
  await changeSubtree(tx, nodeId, async () => {
    await tx.db
      .updateTable('namespaces')
      .set({ visibility, updated_at: tx.now })
      .where(sql<boolean>`id = any(${subtreeIds(nodeId)})`)
      .where('visibility', '>', visibility)
      .execute()
  })
}
