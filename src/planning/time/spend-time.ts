import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { MAX_INT4 } from '#platform/http/schema.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { ItemKind, ItemRow } from '#planning/noteables/items/kind.ts'
import type { Times } from './timed.ts'

/** What else is known of spent time. */
interface Spent {
  readonly summary?: string | undefined
  /** When it was spent; now by default. */
  readonly spentAt?: string | undefined
}

type Kind<Row extends ItemRow> = Pick<ItemKind<Row>, 'table' | 'facts'>

/**
 * Adds time that the transaction's author spent on an item; a negative number removes some, and 0 changes nothing.
 * @param item locked.
 * @throws 400 when the sum would be negative or too large to store.
 */
export async function spendTime<Row extends ItemRow>(
  tx: Tx,
  kind: Kind<Row>,
  item: Row,
  { seconds, ...more }: { readonly seconds: number } & Spent,
): Promise<Times> {
  const total = item.total_time_spent + seconds
  if (total < 0) throw invalid({ time_spent: ['to take back is more than was spent'] })
  if (total > MAX_INT4) throw invalid({ time_spent: ['is too long'] })
  if (seconds === 0) return item
  await keep(tx, kind, item, { seconds, total, ...more })
  record(tx, kind.facts.spent(item, seconds))
  return { time_estimate: item.time_estimate, total_time_spent: total }
}

/** Removes all time spent on an item. @param item locked. */
export async function resetSpentTime<Row extends ItemRow>(
  tx: Tx,
  kind: Kind<Row>,
  item: Row,
): Promise<Times> {
  if (item.total_time_spent === 0) return item
  await keep(tx, kind, item, { seconds: -item.total_time_spent, total: 0 })
  record(tx, kind.facts.spent(item, null))
  return { time_estimate: item.time_estimate, total_time_spent: 0 }
}

/** Stores the entry, and the sum of all entries, which lists show. */
async function keep(
  tx: Tx,
  { table }: { readonly table: ItemKind['table'] },
  { id }: ItemRow,
  { seconds, total, summary, spentAt }: { seconds: number; total: number } & Spent,
): Promise<void> {
  await tx.db
    .insertInto('timelogs')
    .values({
      noteable_id: id,
      user_id: tx.author?.id ?? null,
      time_spent: seconds,
      summary: summary ?? null,
      spent_at: spentAt ?? tx.now,
    })
    .execute()
  await sql`update ${sql.table(table)} set total_time_spent = ${total} where id = ${id}`.execute(tx.db)
  await touch(tx, id)
}
