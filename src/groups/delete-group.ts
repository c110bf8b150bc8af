import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import { deleteSubtree } from '#namespaces/remove-subtree.ts'

/** Deletes a group with everything below it: hidden at once, removed by a job. */
export async function deleteGroup(
  tx: Tx,
  group: { readonly id: number; readonly parent_id: number | null; readonly full_path: string },
): Promise<void> {
  await deleteSubtree(tx, group.id)
  // The facts of a group go with it; this one is the parent's, or the instance's.
  record(tx, {
    name: 'group deleted',
    namespace: group.parent_id,
    target: { type: 'Group', id: group.id },
    details: { path: group.full_path },
  })
}
