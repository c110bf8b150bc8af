import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/http/errors.ts'
import { MAX_INT4 } from '#platform/http/schema.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { Timed, Times } from './timed.ts'

/**
 * Adds time that the transaction's author spent on an issue; a negative number removes some, and 0 changes nothing.
 * @param issue locked.
 * @throws 400 when the sum would be negative or too large to store.
 */
export async function spendTime(tx: Tx, issue: Timed, seconds: number, summary?: string): Promise<Times> {
  const total = issue.total_time_spent + seconds
  if (total < 0) throw invalid({ time_spent: ['to take back is more than was spent'] })
  if (total > MAX_INT4) throw invalid({ time_spent: ['is too long'] })
  if (seconds === 0) return issue
  await keep(tx, issue, { seconds, total, summary })
  return tell(tx, issue, { seconds, total })
}

/** Removes all time spent on an issue. @param issue locked. */
export async function resetSpentTime(tx: Tx, issue: Timed): Promise<Times> {
  if (issue.total_time_spent === 0) return issue
  await keep(tx, issue, { seconds: -issue.total_time_spent, total: 0 })
  return tell(tx, issue, { seconds: null, total: 0 })
}

/** Stores the entry, and the sum of all entries, which lists show. */
async function keep(
  tx: Tx,
  { id }: Timed,
  { seconds, total, summary }: { seconds: number; total: number; summary?: string | undefined },
): Promise<void> {
  await tx.db
    .insertInto('timelogs')
    .values({
      noteable_id: id,
      user_id: tx.author?.id ?? null,
      time_spent: seconds,
      summary: summary ?? null,
      spent_at: tx.now,
    })
    .execute()
  await tx.db.updateTable('issues').set({ total_time_spent: total }).where('id', '=', id).execute()
  await touch(tx, id)
}

async function tell(
  tx: Tx,
  { id, namespace_id, time_estimate }: Timed,
  { seconds, total }: { seconds: number | null; total: number },
): Promise<Times> {
  record(tx, {
    name: 'issue time spent',
    namespace: namespace_id,
    target: { type: 'Issue', id },
    details: { seconds },
  })
  return { time_estimate, total_time_spent: total }
}
