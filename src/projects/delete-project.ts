import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import { deleteSubtree } from '#namespaces/remove-subtree.ts'

/** Hides a project from everybody and frees its path; a job removes what belongs to it. */
export async function deleteProject(
  tx: Tx,
  project: {
    readonly id: number
    readonly namespace_id: number
    readonly parent_id: number
    readonly full_path: string
  },
): Promise<void> {
  await deleteSubtree(tx, project.namespace_id)
  record(tx, {
    name: 'project deleted',
    // The project's own facts go with it.
    namespace: project.parent_id,
    target: { type: 'Project', id: project.id },
    details: { path: project.full_path },
  })
}
