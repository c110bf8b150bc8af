import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

/**
 * Makes a group and everything below it read-only, or writable again when `archived` is false. Repeating it changes
 * nothing.
 */
export async function archiveGroup(
  tx: Tx,
  { id, full_path }: { readonly id: number; readonly full_path: string },
  archived: boolean,
): Promise<void> {
  const { numUpdatedRows } = await tx.db
    .updateTable('namespaces')
    .set({ archived, updated_at: tx.now })
    .where('id', '=', id)
    .where('archived', '<>', archived)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return
  record(tx, {
    name: archived ? 'group archived' : 'group unarchived',
    namespace: id,
    target: { type: 'Group', id },
    details: { path: full_path },
  })
}
