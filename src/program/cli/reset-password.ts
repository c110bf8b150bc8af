import { transact } from '#platform/db/transaction.ts'
import { passwordDigestOf } from '#identity/users/password.ts'
import { findUser, lockUser } from '#identity/users/queries.ts'
import { updateUser } from '#identity/users/update-user.ts'
import { chosenPassword } from './chosen-password.ts'
import type { CommandOptions, Terminal } from './command.ts'
import { findUserByName } from './named-user.ts'
import { onInstance } from './on-database.ts'

/** Gives a user another password and ends their sessions. If no password was given, it makes one and prints only that. */
export async function resetPasswordCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const username = given.text('user')
  const { password, made } = await chosenPassword(given, terminal)
  await onInstance(terminal, async (source) => {
    const { id } = await findUserByName(source, username)
    const digest = await passwordDigestOf({ password }, await findUser(source.db, id))
    await transact(source, { author: null, ip: null }, async (tx) => {
      await updateUser(tx, await lockUser(tx, id), { password_digest: digest })
    })
    terminal.err(`${username} has a new password, and is signed out everywhere\n`)
  })
  if (made) terminal.out(`${password}\n`)
  return 0
}
