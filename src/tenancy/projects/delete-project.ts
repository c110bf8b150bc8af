import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { deleteSubtree } from '#identity/namespaces/remove-subtree.ts'
import type { LockedProject } from './lock-project.ts'

/** Hides a project from everybody and frees its path; a job removes what belongs to it. */
export async function deleteProject(tx: Tx, { id, node, parent }: LockedProject): Promise<void> {
  await deleteSubtree(tx, node)
  record(tx, {
    name: 'project deleted',
    // A project's own events are deleted with it.
    namespace: parent.id,
    target: { type: 'Project', id },
    details: { path: node.full_path },
  })
}
