import type { Tx } from '#platform/db/transaction.ts'
import type { ItemRow } from './kind.ts'

/**
 * Stores a user's choice whether to be subscribed to an item.
 * @param item as the user sees it: `subscribed` is their present state, by choice or because they take part.
 * @returns whether anything changed.
 */
export async function chooseSubscription(
  tx: Tx,
  item: Pick<ItemRow, 'id' | 'subscribed'>,
  userId: number,
  subscribed: boolean,
): Promise<boolean> {
  if (item.subscribed === subscribed) return false
  const { numInsertedOrUpdatedRows = 0n } = await tx.db
    .insertInto('subscriptions')
    .values({ noteable_id: item.id, user_id: userId, subscribed })
    .onConflict((oc) =>
      oc
        .columns(['noteable_id', 'user_id'])
        .doUpdateSet({ subscribed })
        .where('subscriptions.subscribed', '<>', subscribed),
    )
    .executeTakeFirst()
  return numInsertedOrUpdatedRows > 0n
}
