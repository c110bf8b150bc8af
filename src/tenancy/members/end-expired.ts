import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { dayOf } from '#platform/http/time.ts'
import { defineTask } from '#platform/jobs/task.ts'

/** Memberships that end in one transaction. */
const MEMBERSHIPS_PER_TRANSACTION = 500

/**
 * Runs every day and removes the memberships whose last day is over. They have had no effect since then; now people are told.
 * The memberships of bots stay, because they come and go with access tokens.
 */
export const endExpired = defineTask('members/end-expired', 'short', Type.Object({}), async (_, job) => {
  let ended: number
  do {
    job.signal.throwIfAborted()
    ended = await job.transact(endSome)
  } while (ended > 0)
})

async function endSome(tx: Tx): Promise<number> {
  const { rows } = await sql<{ namespace_id: number; user_id: number }>`
    delete from members where id = any(array(
      select m.id from members m
      where m.expires_at <= ${dayOf(tx.now)}::date
        and exists (select 1 from users u where u.id = m.user_id and u.kind = 'human')
      order by m.id limit ${MEMBERSHIPS_PER_TRANSACTION} for update of m skip locked))
    returning namespace_id, user_id`.execute(tx.db)
  for (const { namespace_id: namespace, user_id } of rows) {
    const target = { type: 'User', id: user_id }
    record(tx, { name: 'member removed', namespace, target, details: { user_id, below: [], expired: true } })
  }
  return rows.length
}
