import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { refusal } from '#platform/refusals.ts'
import type { ListRow } from './entity.ts'
import { aboutList } from './facts-about.ts'
import type { LockedBoard } from './queries.ts'

/**
 * Puts a list at another position of its board; those between make room.
 * @param board locked by `lockBoard`, so nobody else changes the order.
 * @throws 400 for a position that the board does not have.
 */
export async function moveList(tx: Tx, board: LockedBoard, list: ListRow, to: number): Promise<void> {
  const { position: from } = list
  if (to === from) return
  const placed = await tx.db
    .selectFrom('board_lists')
    .select('id')
    .where('board_id', '=', board.id)
    .orderBy('position')
    .execute()
  if (to >= placed.length) throw refusal('List could not be moved!')
  const others = placed.map(({ id }) => id).filter((id) => id !== list.id)
  const ids = others.toSpliced(to, 0, list.id)
  await sql`
    update board_lists k set position = given.place - 1, updated_at = ${tx.now}::timestamptz
    from unnest(${ids}::bigint[]) with ordinality as given (id, place)
    where k.id = given.id and k.board_id = ${board.id} and k.position <> given.place - 1`.execute(tx.db)
  record(tx, {
    ...aboutList(board, list),
    name: 'board list moved',
    details: { ...aboutList(board, list).details, from, to },
  })
}
