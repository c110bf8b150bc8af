import type { Tx } from '#platform/db/transaction.ts'
import { assertFree, checkEmail } from '#identity/users/account-rules.ts'
import type { UserRow } from '#identity/users/queries.ts'
import { mailConfirmation } from './account-mails.ts'
import { lockAddress } from './write-email.ts'

/**
 * Remembers a new first address of an account. It takes the place of the present one when its owner follows the link
 * in the mail.
 * @param user locked by `lockUser`.
 * @throws 409 when it is taken, 400 when it is impossible.
 */
export async function askToConfirm(tx: Tx, user: UserRow, email: string, site: string): Promise<void> {
  checkEmail(email)
  await lockAddress(tx, email)
  await assertFree(tx, { email, username: user.username }, user.id)
  await tx.db.updateTable('users').set({ unconfirmed_email: email }).where('id', '=', user.id).execute()
  await mailConfirmation(tx, user, email, site)
}
