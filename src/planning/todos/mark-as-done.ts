import type { Tx } from '#platform/db/transaction.ts'

/** Marks a to-do of a user as done. One that is already done keeps its time. */
export async function markAsDone(tx: Tx, userId: number, id: number): Promise<void> {
  await tx.db
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('state', '=', 'pending')
    .execute()
}

/**
 * Marks what a user has to do about a noteable as done. There is one pending to-do at most.
 * @param before the time before which it must have come; by default now
 * @returns whether there was one
 */
export async function markTargetAsDone(
  tx: Tx,
  userId: number,
  noteableId: number,
  before?: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.db
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('user_id', '=', userId)
    .where('noteable_id', '=', noteableId)
    .where('state', '=', 'pending')
    .$if(before !== undefined, (q) => q.where('created_at', '<', before ?? tx.now))
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
