import { randomBytes } from 'node:crypto'
import { hashPassword } from '#platform/access/passwords.ts'
import { transact } from '#platform/db/transaction.ts'
import { createUser } from '#identity/users/create-user.ts'
import { type Given, type Terminal, UsageError } from './command.ts'
import { onInstance } from './on-database.ts'

const SHORTEST_PASSWORD = 8

/** Makes a user. If no password was given, it generates one and prints only that. */
export async function createUserCommand(given: Given, terminal: Terminal): Promise<number> {
  const username = given.text('username')
  const email = given.text('email')
  if (!/^[^@\s]+@[^@\s]+$/.test(email)) throw new UsageError(`--email "${email}" is no e-mail address`)
  const name = given.text('name').trim()
  if (name === '') throw new UsageError('--name is blank')
  const chosen = await chosenPassword(given, terminal)
  const password = chosen ?? randomBytes(15).toString('base64url')
  const passwordDigest = await hashPassword(password)
  const admin = given.has('admin')
  await onInstance(
    terminal,
    async (source) => {
      const { id } = await transact(source, { author: null, ip: null }, (tx) =>
        createUser(tx, { username, name, email, passwordDigest, admin }),
      )
      terminal.err(`made the ${admin ? 'administrator' : 'user'} ${username} with the id ${id}\n`)
    },
    ' Or have the running one make the user: POST /api/v4/users with the token of an administrator.',
  )
  if (chosen === undefined) terminal.out(`${password}\n`)
  return 0
}

async function chosenPassword(given: Given, terminal: Terminal): Promise<string | undefined> {
  if (!given.has('password-stdin')) return longEnough(given.maybe('password'))
  if (given.has('password')) throw new UsageError('--password and --password-stdin: choose one')
  let text = ''
  for await (const part of terminal.input) text += part.toString()
  return longEnough(text.replace(/\r?\n$/, ''))
}

function longEnough(password: string | undefined): string | undefined {
  if (password !== undefined && password.length < SHORTEST_PASSWORD) {
    throw new UsageError(`the password should have ${SHORTEST_PASSWORD} characters or more`)
  }
  return password
}
