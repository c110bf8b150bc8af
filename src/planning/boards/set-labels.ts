import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Gives a board these labels instead of those that it has.
 * @param ids of labels that are locked, as the board is.
 */
export async function setLabels(tx: Tx, boardId: number, ids: readonly number[]): Promise<void> {
  await sql`delete from board_labels where board_id = ${boardId} and label_id <> all (${[...ids]}::bigint[])`.execute(
    tx.db,
  )
  await sql`insert into board_labels (board_id, label_id)
    select ${boardId}, id from unnest(${[...ids]}::bigint[]) as id on conflict do nothing`.execute(tx.db)
}
