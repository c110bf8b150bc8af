import type { Tx } from '#platform/db/transaction.ts'

/** Marks all pending to-dos of a user as done, also those whose issues are hidden from them now. */
export async function markAllAsDone(tx: Tx, userId: number): Promise<void> {
  await tx.db
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    // Locked in the order in which everybody locks several rows.
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('todos')
        .select('id')
        .where('user_id', '=', userId)
        .where('state', '=', 'pending')
        .orderBy('id')
        .forNoKeyUpdate(),
    )
    .execute()
}
