import { sql } from 'kysely'
import type { UserRemovalStep } from '#identity/users/extension-points.ts'
import { noteableKinds } from '#planning/noteables/kinds.ts'
import { locks } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'

/** Awards handled in one transaction, which keeps each one short. */
const AWARDS_PER_TRANSACTION = 1_000

/**
 * Hands the awards of a user whose account is being removed to `heir`, or removes them when there is none. Awards that
 * the heir has already given are removed, too, so that the counts of votes stay right.
 * @returns whether there may be more.
 */
export async function handOverAwards(tx: Tx, userId: number, heir: number | null): Promise<boolean> {
  // One account at a time: two jobs would wait for each other's rows.
  await sql`select pg_advisory_xact_lock(${locks.awards})`.execute(tx.db)
  const counted = sql.join(
    noteableKinds().flatMap(({ countsVotes, table }) => (countsVotes ? [countLost(table)] : [])),
    sql``,
  )
  const { rows } = await sql<{ done: number }>`
    with gone as (
      delete from award_emoji where id in (select id from award_emoji where user_id = ${userId} limit ${AWARDS_PER_TRANSACTION})
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
  return rows[0]?.done === AWARDS_PER_TRANSACTION
}

/** A step of removing a user, which hands their awards over or removes them. */
export const handOverAllAwards: UserRemovalStep = async ({ job, lease, userId, heir }) => {
  while (await job.transact((tx) => handOverAwards(tx, userId, heir))) lease.signal.throwIfAborted()
}

/** A part of the statement that subtracts lost votes in the table of a kind. */
const countLost = (table: string) => sql`, ${sql.id(`${table}_counted`)} as (
      update ${sql.table(table)} t set upvotes = t.upvotes - lost.up, downvotes = t.downvotes - lost.down
      from lost where t.id = lost.noteable_id
    )`
