import { sql } from 'kysely'
import type { UserRemovalStep } from '#identity/users/extension-points.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import { locks } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** Awards in a transaction: none is long, however many there are. */
const BATCH = 1_000

/**
 * Hands awards of somebody whose account is being removed to `heir`, or takes them back when there is none. Those
 * that the heir has given already are taken back, too: votes stay what can be counted.
 * @returns whether there may be more.
 */
export async function handOverAwards(tx: Tx, userId: number, heir: number | null): Promise<boolean> {
  // One account after the other: two of them would wait for each other's rows.
  await sql`select pg_advisory_xact_lock(${locks.awards})`.execute(tx.db)
  const counted = sql.join(
    noteableKinds().flatMap(({ counters }) => (counters.votes ? [countLost(counters.table)] : [])),
    sql``,
  )
  const { rows } = await sql<{ done: number }>`
    with gone as (
      delete from award_emoji where id in (select id from award_emoji where user_id = ${userId} limit ${BATCH})
      returning id, noteable_id, note_id, name, created_at, updated_at
    ), kept as (
      insert into award_emoji (id, noteable_id, note_id, name, user_id, created_at, updated_at)
      select id, noteable_id, note_id, name, ${heir}::bigint, created_at, updated_at from gone
      where ${heir}::bigint is not null
      on conflict do nothing returning id
    ), lost as (
      select noteable_id, count(*) filter (where name = 'thumbsup') as up,
          count(*) filter (where name = 'thumbsdown') as down
      from gone where noteable_id is not null and name in ('thumbsup', 'thumbsdown') and id not in (select id from kept)
      group by noteable_id
    )${counted}
    select count(*) as done from gone`.execute(tx.db)
  return rows[0]?.done === BATCH
}

/** A step of removing a user: their awards go to the heir, or go. */
export const handOverAllAwards: UserRemovalStep = async ({ job, lease, userId, heir }) => {
  while (await job.transact((tx) => handOverAwards(tx, userId, heir))) lease.signal.throwIfAborted()
}

/** A part of the statement: counts lost votes off in the table of a kind. */
const countLost = (table: string) => sql`, ${sql.id(`${table}_counted`)} as (
      update ${sql.table(table)} t set upvotes = t.upvotes - lost.up, downvotes = t.downvotes - lost.down
      from lost where t.id = lost.noteable_id
    )`
