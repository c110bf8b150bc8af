import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

/** Ends one session. @returns whether it was one of the user's. */
export async function endSession(tx: Tx, userId: number, id: number): Promise<boolean> {
  const ended = await tx.db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst()
  if (ended === undefined) return false
  record(tx, {
    name: 'session ended',
    namespace: null,
    target: { type: 'User', id: userId },
    details: { session_id: id },
  })
  return true
}
