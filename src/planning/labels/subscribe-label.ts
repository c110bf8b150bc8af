import type { Tx } from '#platform/db/transaction.ts'

/** @returns whether anything changed: subscribing twice changes nothing. */
export async function subscribeLabel(tx: Tx, labelId: number, userId: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx.db
    .insertInto('label_subscriptions')
    .values({ label_id: labelId, user_id: userId, created_at: tx.now })
    .onConflict((oc) => oc.doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}

/** @returns whether anything changed. */
export async function unsubscribeLabel(tx: Tx, labelId: number, userId: number): Promise<boolean> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('label_subscriptions')
    .where('label_id', '=', labelId)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return numDeletedRows > 0n
}
