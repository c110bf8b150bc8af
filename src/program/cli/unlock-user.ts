import { transact } from '#platform/db/transaction.ts'
import type { UserState } from '#platform/db/schema.ts'
import { changeState, type StateVerb } from '#identity/users/change-state.ts'
import { lockUser } from '#identity/users/queries.ts'
import type { CommandOptions, Terminal } from './command.ts'
import { findUserByName } from './named-user.ts'
import { onInstance } from './on-database.ts'

/** What ends each state in which nobody can sign in. */
const ends: Readonly<Partial<Record<UserState, StateVerb>>> = {
  blocked: 'unblock',
  banned: 'unban',
  deactivated: 'activate',
  blocked_pending_approval: 'approve',
}

/** Lets a user in again. */
export async function unlockUserCommand(given: CommandOptions, terminal: Terminal): Promise<number> {
  const username = given.text('user')
  await onInstance(terminal, async (source) => {
    const { id } = await findUserByName(source, username)
    const before = await transact(source, { author: null, ip: null }, async (tx) => {
      const user = await lockUser(tx, id)
      const verb = ends[user.state]
      if (verb !== undefined) await changeState(tx, user, verb)
      return user.state
    })
    terminal.err(before === 'active' ? `${username} was active already\n` : `${username} is active again\n`)
  })
  return 0
}
