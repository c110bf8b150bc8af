import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

/** Ends all sessions of a user but one. @returns how many sessions ended. */
export async function endOtherSessions(tx: Tx, userId: number, keptId: number): Promise<number> {
  const { numDeletedRows } = await tx.db
    .deleteFrom('sessions')
    .where('user_id', '=', userId)
    .where('id', '<>', keptId)
    .executeTakeFirst()
  const count = Number(numDeletedRows)
  if (count === 0) return 0
  record(tx, {
    name: 'other sessions ended',
    namespace: null,
    target: { type: 'User', id: userId },
    details: { kept_session_id: keptId, count },
  })
  return count
}
