import { digestOf } from '#platform/access/digest.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'

export interface NewSession {
  readonly userId: number
  readonly userAgent: string | null
  /** Minutes until the session expires (`session_expire_delay`). */
  readonly minutes: number
}

/**
 * Signs a user in whose password was checked before.
 * @returns the value of the cookie; the database holds only its digest.
 */
export async function createSession(
  tx: Tx,
  { userId, userAgent, minutes }: NewSession,
): Promise<{ id: number; secret: string; ends_at: string }> {
  const secret = tx.random.bytes(32).toString('base64url')
  const ends_at = new Date(Date.parse(tx.now) + minutes * 60_000).toISOString()
  const { id } = await tx.db
    .insertInto('sessions')
    .values({
      digest: digestOf(secret),
      user_id: userId,
      created_at: tx.now,
      ends_at,
      ip: tx.ip,
      user_agent: userAgent?.slice(0, 512) ?? null,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'session started',
    namespace: null,
    target: { type: 'User', id: userId },
    details: { session_id: id },
  })
  return { id, secret, ends_at }
}
