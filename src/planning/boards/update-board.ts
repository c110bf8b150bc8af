import type { Tx } from '#platform/db/transaction.ts'
import { defined } from '#platform/defined.ts'
import { record } from '#platform/facts/record.ts'
import type { NewBoard } from './create-board.ts'
import type { LockedBoard } from './queries.ts'
import type { BoardScope } from './resolve-scope.ts'
import { setLabels } from './set-labels.ts'

type BoardChanges = Partial<Pick<NewBoard, 'name' | 'hide_backlog_list' | 'hide_closed_list' | 'weight'>> &
  BoardScope

/**
 * Changes what is given and leaves the rest.
 * @param board locked by `lockBoard`, after what its new scope refers to.
 */
export async function updateBoard(tx: Tx, board: LockedBoard, changes: BoardChanges): Promise<void> {
  const fields = Object.keys(changes)
  if (fields.length === 0) return
  const { label_ids, ...columns } = changes
  const name = columns.name?.trim() ?? board.name
  await tx.db
    .updateTable('boards')
    .set(defined({ ...columns, name, updated_at: tx.now }))
    .where('id', '=', board.id)
    .execute()
  if (label_ids !== undefined) await setLabels(tx, board.id, label_ids)
  record(tx, {
    name: 'board changed',
    namespace: board.namespace_id,
    target: { type: 'Board', id: board.id },
    details: { name, fields },
  })
}
