import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * A transaction that writes references to other rows locks those rows first, then the rows that it changes. Deletions
 * go the same way, from a row to the rows that refer to it. Within a kind, the order of locks is by id.
 */

/** The kinds of rows that can be referred to, in locking order. */
const kinds = ['users', 'milestones', 'labels', 'noteables'] as const

/** The ids of rows to which references will be written. */
export type ReferencedRows = Readonly<Partial<Record<(typeof kinds)[number], readonly number[]>>>

/** Keeps rows from being deleted or renamed until the transaction ends; other changes remain possible. */
export async function lockReferencedRows(tx: Tx, referred: ReferencedRows): Promise<void> {
  for (const kind of kinds) {
    const ids = referred[kind] ?? []
    if (ids.length === 0) continue
    await sql`select 1 from ${sql.table(kind)} where id = any(${[...ids]}::bigint[]) order by id for key share`.execute(
      tx.db,
    )
  }
}
