import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

/**
 * Archives or unarchives a project. While it is archived, nothing in it changes.
 * @returns whether anything changed: archiving twice changes nothing.
 */
export async function archiveProject(
  tx: Tx,
  project: { readonly id: number; readonly namespace_id: number; readonly full_path: string },
  archived: boolean,
): Promise<boolean> {
  const changed = await tx.db
    .updateTable('namespaces')
    .set({ archived, updated_at: tx.now })
    .where('id', '=', project.namespace_id)
    .where('archived', '<>', archived)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) return false
  record(tx, {
    name: archived ? 'project archived' : 'project unarchived',
    namespace: project.namespace_id,
    target: { type: 'Project', id: project.id },
    details: { path: project.full_path },
  })
  return true
}
