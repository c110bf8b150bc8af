import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Whoever writes something that refers to other rows locks those first, then what the write changes: deletions go the
 * same way, from what is referred to to what refers to it. Within a kind everybody locks by id.
 */

/** What can be referred to, in the order in which it is locked. */
const kinds = ['users', 'milestones', 'labels', 'issues'] as const

/** Ids of rows that are about to be referred to. */
export type Referred = Readonly<Partial<Record<(typeof kinds)[number], readonly number[]>>>

/** Keeps rows from being deleted or renamed until the transaction ends; they may be changed otherwise. */
export async function lockReferred(tx: Tx, referred: Referred): Promise<void> {
  for (const kind of kinds) {
    const ids = referred[kind] ?? []
    if (ids.length === 0) continue
    await sql`select 1 from ${sql.table(kind)} where id = any(${[...ids]}::bigint[]) order by id for key share`.execute(
      tx.db,
    )
  }
}
