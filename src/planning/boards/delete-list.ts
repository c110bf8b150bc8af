import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { ListRow } from './entity.ts'
import { aboutList } from './facts-about.ts'
import type { LockedBoard } from './queries.ts'

/** Takes a list off its board. Its issues stay as they are. @param board locked by `lockBoard`. */
export async function deleteList(tx: Tx, board: LockedBoard, list: ListRow): Promise<void> {
  await tx.db.deleteFrom('board_lists').where('id', '=', list.id).execute()
  record(tx, { ...aboutList(board, list), name: 'board list deleted' })
}
