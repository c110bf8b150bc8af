import { hashPassword } from '#platform/access/passwords.ts'
import { transact } from '#platform/db/transaction.ts'
import { createUser } from '#identity/users/create-user.ts'
import { chosenPassword } from './chosen-password.ts'
import { type CommandOptions, type Terminal, UsageError } from './command.ts'
import { onInstance } from './on-database.ts'

/** Makes a user. If no password was given, it generates one and prints only that. */
export async function createUserCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const username = given.text('username')
  const email = given.text('email')
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw new UsageError(`--email "${email}" is no e-mail address`)
  const name = given.text('name').trim()
  if (name === '') throw new UsageError('--name is blank')
  const { password, made } = await chosenPassword(given, terminal)
  const passwordDigest = await hashPassword(password)
  const admin = given.has('admin')
  await onInstance(terminal, async (source) => {
    const { id } = await transact(source, { author: null, ip: null }, (tx) =>
      createUser(tx, { username, name, email, passwordDigest, admin }),
    )
    terminal.err(`made the ${admin ? 'administrator' : 'user'} ${username} with the id ${id}\n`)
  })
  if (made) terminal.out(`${password}\n`)
  return 0
}
