import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { MAX_INT4 } from '#platform/http/schema.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { ItemKind, ItemRow } from '#planning/noteables/items/kind.ts'
import type { Times } from './timed.ts'

/**
 * Sets the time estimate of an item; 0 removes it.
 * @param item locked.
 * @throws 400 for a negative time and for one that is too large to store.
 */
export async function estimateTime<Row extends ItemRow>(
  tx: Tx,
  kind: Pick<ItemKind<Row>, 'table' | 'facts'>,
  item: Row,
  seconds: number,
): Promise<Times> {
  const { id, time_estimate, total_time_spent } = item
  if (seconds < 0) throw invalid({ time_estimate: ['must be greater than or equal to 0'] })
  if (seconds > MAX_INT4) throw invalid({ time_estimate: ['is too long'] })
  if (seconds === time_estimate) return item
  await sql`update ${sql.table(kind.table)} set time_estimate = ${seconds} where id = ${id}`.execute(tx.db)
  await touch(tx, id)
  record(tx, kind.facts.estimated(item, seconds))
  return { time_estimate: seconds, total_time_spent }
}
