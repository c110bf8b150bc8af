import { sql } from 'kysely'
import { Type } from 'typebox'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { withLease } from '#platform/jobs/lease.ts'
import { RowRemover } from '#platform/jobs/remove-rows.ts'
import { defineTask } from '#platform/jobs/task.ts'
import type { LockedNode } from './lock.ts'
import { hideSubtree } from './tree.ts'

/**
 * Deletes a group or project with everything below. From now on nobody sees it and its paths are free; a job removes
 * the rows.
 * @param node locked by `lockNode`.
 */
export async function deleteSubtree(tx: Tx, node: Pick<LockedNode, 'id' | 'full_path'>): Promise<void> {
  await hideSubtree(tx, node)
  await enqueue(tx, removeSubtree, { namespace_id: node.id })
}

/** Removes the rows that {@link deleteSubtree} has hidden, and everything that belongs to them. */
export const removeSubtree = defineTask(
  'namespaces/remove-subtree',
  'long',
  Type.Object({ namespace_id: Type.Integer() }),
  ({ namespace_id }, job) =>
    withLease(job, `remove namespace ${namespace_id}`, async (lease) => {
      const remover = await RowRemover.open(job, lease)
      await removeHidden(remover, namespace_id)
      job.log.info({ namespace: namespace_id, rows: remover.removed }, 'removed what was deleted')
    }),
)

/** Removes a hidden node and everything below it, deepest first. */
export async function removeHidden(remover: RowRemover, nodeId: number): Promise<void> {
  await remover.removeAll(
    'namespaces',
    (limit) => sql<{ id: number }>`
      select id from namespaces where ${inSubtree('namespaces', nodeId)} and deleted_at is not null
      order by cardinality(traversal_ids) desc, id limit ${limit}`,
  )
}
