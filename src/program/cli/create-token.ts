import { isScope, type Scope, scopes } from '#platform/access/scopes.ts'
import { systemClock } from '#platform/context.ts'
import { dayOf } from '#platform/http/time.ts'
import { transact } from '#platform/db/transaction.ts'
import { issueToken } from '#identity/tokens/issue-token.ts'
import { type CommandOptions, type Terminal, UsageError } from './command.ts'
import { findUserByName } from './named-user.ts'
import { onInstance } from './on-database.ts'
import { dayAhead } from './read-day.ts'

/** Makes a personal access token and prints only its secret. */
export async function createTokenCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const username = given.text('user')
  const name = given.text('name').trim()
  if (name === '') throw new UsageError('--name is blank')
  const wanted = scopesOf(given.all('scope'))
  const expiresAt = dayAhead(given, 'expires', dayOf(systemClock.now()))
  await onInstance(terminal, async (source, settings) => {
    const holder = await findUserByName(source, username)
    const request = { name, scopes: wanted, ...(expiresAt === undefined ? {} : { expires_at: expiresAt }) }
    const { secret } = await transact(source, { author: null, ip: null }, (tx) =>
      issueToken(tx, 'personal', holder, request, settings),
    )
    terminal.out(`${secret}\n`)
  })
  return 0
}

function scopesOf(given: readonly string[]): Scope[] {
  const names = new Set(given.flatMap((text) => text.split(',')).map((text) => text.trim()))
  return [...names].map((name) => {
    if (isScope(name)) return name
    throw new UsageError(`there is no scope "${name}" (scopes: ${scopes.join(', ')})`)
  })
}
