import type { Tx } from '#platform/db/transaction.ts'

/** Marks all pending to-dos of a user as done, even those whose issues they can no longer see. */
export async function markAllAsDone(tx: Tx, userId: number): Promise<void> {
  await tx.db
    .updateTable('todos')
    .set({ state: 'done', updated_at: tx.now })
    // Locks the rows in the order that every statement uses for several rows.
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
