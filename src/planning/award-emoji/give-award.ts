import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { knownTexts } from '#platform/known-texts.ts'
import type { Awardable } from './awardables.ts'
import { storedEmojiName } from './emoji.ts'

/**
 * Gives an award as the transaction's author, by a name or alias of an emoji; votes count at once.
 * @returns the award's id.
 * @throws 404 for an unknown emoji, and for an award that the author has already given.
 */
export async function giveAward(tx: Tx, on: Awardable, given: string): Promise<number> {
  if (tx.author === null) throw new Error('An award needs somebody who gives it')
  const name = orNotFound(storedEmojiName(given), 'Award Emoji Name is not a valid emoji name')
  const { rows } = await sql<{ id: number }>`
    insert into award_emoji (${sql.ref(on.column)}, name, user_id, created_at, updated_at)
    values (${on.id}, ${name}, ${tx.author.id}, ${tx.now}, ${tx.now})
    on conflict do nothing returning id`.execute(tx.db)
  const [award] = rows
  if (award === undefined) throw notFound(knownTexts['award-taken'])
  await on.account(tx, name, 1)
  record(tx, {
    name: 'award emoji given',
    namespace: on.namespace_id,
    target: { type: on.type, id: on.id },
    details: { emoji: name, award_id: award.id },
  })
  return award.id
}
