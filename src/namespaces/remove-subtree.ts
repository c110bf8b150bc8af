import { Type } from 'typebox'
import { inSubtree } from '#db/subtree.ts'
import type { Tx } from '#db/transaction.ts'
import { enqueue } from '#jobs/enqueue.ts'
import { defineTask } from '#jobs/task.ts'
import type { LockedNode } from './lock.ts'
import { hideSubtree } from './tree.ts'

/**
 * Deletes a group or project with all that is below: nobody sees it from this moment on, its paths are free, and
 * a job removes the rows.
 * @param node locked by `lockNode`.
 */
export async function deleteSubtree(tx: Tx, node: Pick<LockedNode, 'id' | 'full_path'>): Promise<void> {
  await hideSubtree(tx, node)
  await enqueue(tx, removeSubtree, { namespace_id: node.id })
}

/** Removes what {@link deleteSubtree} has hidden; everything that belongs to it goes by its foreign keys. */
export const removeSubtree = defineTask(
  'namespaces/remove-subtree',
  Type.Object({ namespace_id: Type.Integer() }),
  async ({ namespace_id }, job) => {
    await job.transact(async (tx) => {
      await tx.db
        .deleteFrom('namespaces')
        .where(inSubtree('namespaces', namespace_id))
        .where('deleted_at', 'is not', null)
        .execute()
    })
  },
)
