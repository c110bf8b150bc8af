import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { createBot } from '#identity/users/create-bot.ts'
import type { TokenContainer } from './resource.ts'

/**
 * Every token of a project or group acts as a user of its own, its bot. The bot stays the same when the token is
 * rotated. It also stays as the author of what it wrote after the token is gone.
 */

export interface BotTerms {
  readonly name: string
  readonly external: boolean
  /** The host of the instance's bot addresses; it takes no mail. */
  readonly host: string
}

/** Makes the bot of a new token; it is not yet a member. @returns its id. */
export function makeBot(
  tx: Tx,
  { kind, id }: TokenContainer,
  { name, external, host }: BotTerms,
): Promise<number> {
  const username = `${kind}_${id}_bot_${tx.random.bytes(16).toString('hex')}`
  return createBot(tx, { username, name, email: `${username}@noreply.${host}`, external })
}

/** A token and its project or group; a personal token has nulls for these. */
interface BotToken {
  readonly user_id: number
  readonly namespace_id: number | null
}

/** Extends the bot's membership of the project or group to the end of its new token. */
export async function keepBot(tx: Tx, token: BotToken, expires_at: string | null): Promise<void> {
  if (token.namespace_id === null) return
  await tx.db
    .updateTable('members')
    .set({ expires_at, updated_at: tx.now })
    .where('namespace_id', '=', token.namespace_id)
    .where('user_id', '=', token.user_id)
    .execute()
}

/** Ends the memberships of a bot whose token ended: of the project or group, and of groups that it made below. */
export async function retireBot(tx: Tx, { user_id: userId, namespace_id }: BotToken): Promise<void> {
  if (namespace_id === null) return
  const ended = await tx.db
    .deleteFrom('members')
    .where('user_id', '=', userId)
    .returning('namespace_id')
    .execute()
  const below = ended.map((member) => member.namespace_id).filter((id) => id !== namespace_id)
  record(tx, {
    name: 'member removed',
    namespace: namespace_id,
    target: { type: 'User', id: userId },
    details: { user_id: userId, below },
  })
}
