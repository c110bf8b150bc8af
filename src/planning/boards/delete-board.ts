import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { LockedBoard } from './queries.ts'

/** Deletes a board with its lists. @param board locked for it by `lockBoard`. */
export async function deleteBoard(tx: Tx, { id, namespace_id, name }: LockedBoard): Promise<void> {
  await tx.db.deleteFrom('boards').where('id', '=', id).execute()
  record(tx, {
    name: 'board deleted',
    namespace: namespace_id,
    target: { type: 'Board', id },
    details: { name },
  })
}
