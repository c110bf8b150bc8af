import type { Tx } from '#db/transaction.ts'

/** Removes a label from everything that carries it. */
export async function deleteLabel(tx: Tx, labelId: number): Promise<void> {
  await tx.db.deleteFrom('labels').where('id', '=', labelId).execute()
}
