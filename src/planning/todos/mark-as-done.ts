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

/** Marks what a user has to do about a noteable as done. There is one pending to-do at most. */
export async function markTargetAsDone(tx: Tx, userId: number, noteableId: number): Promise<void> {
  await tx.db
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    .where('user_id', '=', userId)
    .where('noteable_id', '=', noteableId)
    .where('state', '=', 'pending')
    .execute()
}
