import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/http/errors.ts'
import { MAX_INT4 } from '#platform/http/schema.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { Timed, Times } from './timed.ts'

/**
 * Sets an issue's time estimate; 0 removes it.
 * @param issue locked.
 * @throws 400 for a negative time and for one that is too large to store.
 */
export async function estimateTime(tx: Tx, issue: Timed, seconds: number): Promise<Times> {
  const { id, time_estimate, total_time_spent } = issue
  if (seconds < 0) throw invalid({ time_estimate: ['must be greater than or equal to 0'] })
  if (seconds > MAX_INT4) throw invalid({ time_estimate: ['is too long'] })
  if (seconds === time_estimate) return issue
  await tx.db.updateTable('issues').set({ time_estimate: seconds }).where('id', '=', id).execute()
  await touch(tx, id)
  record(tx, {
    name: 'issue time estimated',
    namespace: issue.namespace_id,
    target: { type: 'Issue', id },
    details: { seconds },
  })
  return { time_estimate: seconds, total_time_spent }
}
