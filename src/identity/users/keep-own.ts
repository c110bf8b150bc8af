import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

/** Writes one of the user's JSON columns. */
export async function keepOwn(
  tx: Tx,
  userId: number,
  document: { readonly preferences: string } | { readonly status: string },
): Promise<void> {
  await tx.db.updateTable('users').set(document).where('id', '=', userId).execute()
  record(tx, {
    name: 'user changed',
    namespace: null,
    target: { type: 'User', id: userId },
    details: { fields: Object.keys(document), changes: {} },
  })
}
