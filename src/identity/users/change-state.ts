import type { UserState } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { conflict, forbidden, NotAllowed, type Refusal } from '#platform/refusals.ts'
import { assertOtherAdministrator } from './account-rules.ts'
import type { UserRow } from './queries.ts'

/** A change of state: the states it starts from, and the error for users in other states. */
interface Move {
  readonly from: readonly UserState[]
  readonly to: UserState
  readonly fact: 'blocked' | 'unblocked' | 'banned' | 'unbanned' | 'activated' | 'deactivated' | 'approved'
  /** The answer when the user already is in that state; absent when repeating is refused. */
  readonly again?: boolean | null
  readonly refusal: (state: UserState) => Refusal
}

const cannot = (verb: string) => (state: UserState) =>
  new NotAllowed(`You cannot ${verb} ${state.replaceAll('_', ' ')} users.`)

const moves = {
  block: {
    from: ['active', 'deactivated', 'blocked_pending_approval'],
    to: 'blocked',
    fact: 'blocked',
    again: null,
    refusal: cannot('block'),
  },
  unblock: {
    from: ['blocked', 'blocked_pending_approval'],
    to: 'active',
    fact: 'unblocked',
    again: false,
    refusal: (state) =>
      state === 'deactivated'
        ? forbidden('Deactivated users cannot be unblocked by the API')
        : cannot('unblock')(state),
  },
  ban: { from: ['active'], to: 'banned', fact: 'banned', refusal: cannot('ban') },
  unban: { from: ['banned'], to: 'active', fact: 'unbanned', refusal: cannot('unban') },
  activate: {
    from: ['deactivated'],
    to: 'active',
    fact: 'activated',
    again: true,
    refusal: () => forbidden('A blocked user must be unblocked to be activated'),
  },
  deactivate: {
    from: ['active'],
    to: 'deactivated',
    fact: 'deactivated',
    again: true,
    refusal: () => forbidden('A blocked user cannot be deactivated by the API'),
  },
  approve: {
    from: ['blocked_pending_approval'],
    to: 'active',
    fact: 'approved',
    refusal: () => conflict('The user you are trying to approve is not pending approval'),
  },
} satisfies Record<string, Move>

export type StateVerb = keyof typeof moves

const DAY = 86_400_000
/** Users active within these days are not dormant. */
const RECENT_DAYS = 90

/**
 * Moves a user to another state, which applies from the next request on.
 * @param user locked by `lockUser`.
 * @returns the body of the answer: true, or what clients expect when the user was in that state before.
 * @throws 403 (approval: 409) where the state does not allow it, for oneself, internal users and the last
 * administrator.
 */
export async function changeState(tx: Tx, user: UserRow, verb: StateVerb): Promise<boolean | null> {
  const move: Move = moves[verb]
  if (move.to !== 'active') await assertRemovable(tx, user, verb)
  if (move.again !== undefined && user.state === move.to) return move.again
  if (!move.from.includes(user.state)) throw move.refusal(user.state)
  if (verb === 'deactivate') assertDormant(tx, user)
  await tx.db
    .updateTable('users')
    .set({ state: move.to, updated_at: tx.now })
    .where('id', '=', user.id)
    .execute()
  record(tx, {
    name: `user ${move.fact}`,
    namespace: null,
    target: { type: 'User', id: user.id },
    details: { username: user.username },
  })
  return true
}

const participles = { block: 'blocked', ban: 'banned', deactivate: 'deactivated' }

/** Keeps users from locking out themselves, internal users, or the last administrator. */
async function assertRemovable(tx: Tx, user: UserRow, verb: StateVerb): Promise<void> {
  if (verb !== 'block' && verb !== 'ban' && verb !== 'deactivate') return
  const done = participles[verb]
  if (user.kind === 'ghost') throw forbidden(`Internal users cannot be ${done} by the API`)
  if (user.state === 'active') await assertOtherAdministrator(tx, user, done)
  if (user.id === tx.author?.id && verb !== 'deactivate') {
    throw forbidden(`The API initiating user cannot be ${done} by the API`)
  }
}

function assertDormant(tx: Tx, user: UserRow): void {
  const since = new Date(Date.parse(tx.now) - RECENT_DAYS * DAY).toISOString().slice(0, 10)
  const days = [user.last_activity_on, user.current_sign_in_at?.slice(0, 10)]
  if (days.every((day) => day === null || day === undefined || day <= since)) return
  throw forbidden(
    `The user you are trying to deactivate has been active in the past ${RECENT_DAYS} days and cannot be deactivated`,
  )
}
