import { verifyPassword } from '#platform/access/passwords.ts'
import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import { mailPasswordChanged } from '#identity/emails/account-mails.ts'
import { invalid } from '#platform/refusals.ts'
import type { Limits } from '#platform/http/limits.ts'
import { passwordDigestOf } from './password.ts'
import { findUser, lockUser } from './queries.ts'
import { updateUser } from './update-user.ts'

/** Keeps somebody who took over a session from guessing the password with it. */
const GUESSES = { points: 10, seconds: 600 }

export interface PasswordChange {
  readonly current_password: string
  readonly password: string
  readonly password_confirmation: string
}

/** The user, and the session in which they change the password. */
export interface ChangedBy {
  readonly id: number
  readonly username: string
  readonly ip: string
  readonly sessionId: number
}

/**
 * Changes a user's password. They must know the current one; their other sessions end.
 * @throws 400 for a wrong current password or an unacceptable new one; 429 after too many attempts.
 */
export async function changePassword(
  services: TransactionSource & { readonly limits: Limits },
  by: ChangedBy,
  { current_password, password, password_confirmation }: PasswordChange,
): Promise<void> {
  const { db, limits } = services
  await limits.take('password changes', by.id, GUESSES)
  const known = await digestOf(db, by.id)
  if (!(await verifyPassword(known, current_password))) throw wrong()
  if (password !== password_confirmation) throw invalid({ password_confirmation: ["doesn't match"] })
  const digest = await passwordDigestOf({ password }, await findUser(db, by.id))
  await transact(services, { author: by, ip: by.ip }, async (tx) => {
    const user = await lockUser(tx, by.id)
    // The password may have changed while the new one was hashed.
    if ((await digestOf(tx.db, by.id)) !== known) throw wrong()
    await updateUser(tx, user, { password_digest: digest }, by.sessionId)
    await mailPasswordChanged(tx, user)
  })
}

const wrong = () => invalid({ current_password: ['is wrong'] })

async function digestOf(db: TransactionSource['db'], id: number): Promise<string | null> {
  const row = await db.selectFrom('users').select('password_digest').where('id', '=', id).executeTakeFirst()
  return row?.password_digest ?? null
}
