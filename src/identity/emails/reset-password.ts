import { transact, type TransactionSource } from '#platform/db/transaction.ts'
import { invalid } from '#platform/refusals.ts'
import { passwordDigestOf } from '#identity/users/password.ts'
import { findUser, lockUser } from '#identity/users/queries.ts'
import { updateUser } from '#identity/users/update-user.ts'
import { dropLinks, findLink } from './account-links.ts'
import { mailPasswordChanged } from './account-mails.ts'

export interface PasswordReset {
  readonly reset_password_token: string
  readonly password: string
  readonly password_confirmation: string
  readonly ip: string
}

/**
 * Sets a new password by the link in a mail. All sessions end, and no link works any more.
 * @returns whether the link worked.
 * @throws 400 for an unacceptable password.
 */
export async function resetPassword(
  services: TransactionSource,
  { reset_password_token: token, password, password_confirmation, ip }: PasswordReset,
): Promise<boolean> {
  const { db, clock } = services
  const link = await findLink(db, 'password', token, clock.now().toISOString())
  if (link === undefined) return false
  const owner = await findUser(db, link.user_id)
  if (password !== password_confirmation) throw invalid({ password_confirmation: ["doesn't match"] })
  const digest = await passwordDigestOf({ password }, owner)
  const author = { id: owner.id, username: owner.username }
  return transact(services, { author, ip }, async (tx) => {
    const user = await lockUser(tx, owner.id)
    // Somebody may have used it while the password was hashed.
    if ((await findLink(tx.db, 'password', token, tx.now)) === undefined) return false
    await dropLinks(tx, 'password', user.id)
    await updateUser(tx, user, { password_digest: digest })
    await mailPasswordChanged(tx, user)
    return true
  })
}
