import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { awardableNoteable } from '#planning/award-emoji/awardables.ts'
import { giveAward } from '#planning/award-emoji/give-award.ts'
import { takeBackAward } from '#planning/award-emoji/take-back-award.ts'
import { chooseSubscription } from '#planning/noteables/items/choose-subscription.ts'
import type { ItemKind, ItemRow } from '#planning/noteables/items/kind.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { changeTodo } from '#planning/todos/change-todo.ts'
import { estimateTime } from '#planning/time/estimate-time.ts'
import { resetSpentTime, spendTime } from '#planning/time/spend-time.ts'
import type { CommandsChanges } from './entity.ts'

type Shared = {
  readonly [Name in 'subscription_event' | 'todo_event' | 'time_estimate' | 'spend_time' | 'emoji_award']?:
    | CommandsChanges[Name]
    | undefined
}

/**
 * Writes what commands change in the same way on every kind of item: subscriptions, times and reactions.
 * @param item locked, as the transaction's author sees it.
 * @throws as {@link estimateTime} and {@link spendTime} do
 */
export async function writeShared<Row extends ItemRow>(
  tx: Tx,
  kind: ItemKind<Row>,
  item: Row,
  { subscription_event, todo_event, time_estimate, spend_time, emoji_award = [] }: Shared,
): Promise<void> {
  const { author } = tx
  if (author === null) throw new Error('Quick actions need an author')
  if (subscription_event !== undefined)
    await chooseSubscription(tx, item, author.id, subscription_event === 'subscribe')
  await changeTodo(tx, item.id, author.id, todo_event)
  if (time_estimate !== undefined) await estimateTime(tx, kind, item, time_estimate)
  if (spend_time !== undefined) {
    const { duration, spent_at } = spend_time
    if (duration === 'reset') await resetSpentTime(tx, kind, item)
    else await spendTime(tx, kind, item, { seconds: duration, spentAt: spent_at ?? undefined })
  }
  // Whatever people spend time on counts votes.
  await toggleAwards(tx, { ...kind, countsVotes: true }, item, emoji_award)
}

type Awarded = Pick<NoteableKind, 'type' | 'table' | 'countsVotes'>

/** Gives reactions to a noteable as the transaction's author, and takes back those that they gave before. */
export async function toggleAwards(
  tx: Tx,
  kind: Awarded,
  noteable: Parameters<typeof awardableNoteable>[1],
  names: readonly string[],
): Promise<void> {
  if (names.length === 0 || tx.author === null) return
  const on = awardableNoteable(kind, noteable)
  const userId = tx.author.id
  const { rows } = await sql<{ id: number; name: string }>`
    select id, name from award_emoji
      where noteable_id = ${on.id} and user_id = ${userId} and name = any(${[...names]}::text[])`.execute(
    tx.db,
  )
  const given = new Map(rows.map((award) => [award.name, award]))
  for (const name of names) {
    const award = given.get(name)
    if (award === undefined) await giveAward(tx, on, name)
    else await takeBackAward(tx, on, award)
  }
}
