import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { LockedNode } from '#identity/namespaces/lock.ts'
import { deleteSubtree } from '#identity/namespaces/remove-subtree.ts'

/**
 * Deletes a group with everything below it: it is hidden at once and removed by a job.
 * @param group locked by `lockNode`.
 */
export async function deleteGroup(tx: Tx, group: LockedNode): Promise<void> {
  await deleteSubtree(tx, group)
  // A group's events are deleted with it, so this one belongs to the parent or the instance.
  record(tx, {
    name: 'group deleted',
    namespace: group.parent?.id ?? null,
    target: { type: 'Group', id: group.id },
    details: { path: group.full_path },
  })
}
