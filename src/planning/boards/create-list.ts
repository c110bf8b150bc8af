import { sql } from 'kysely'
import type { AuthorizedContainer } from '#platform/access/projects-and-groups.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid, taken } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import type { ListKind } from './entity.ts'
import { MAX_LISTS } from './limits.ts'
import { lockBoard } from './queries.ts'
import { heldInPlace, usableAssignee, usableLabel, usableMilestone } from './resolve-scope.ts'

export type NewList = { readonly [Kind in ListKind as `${Kind}_id`]?: number | undefined }

/**
 * Adds a list to a board, behind the others.
 * @returns its id.
 * @throws 404 for another board, 400 when the board has such a list, or too many, and for what it cannot be about.
 */
export async function createList(
  tx: Tx,
  authorized: AuthorizedContainer,
  boardId: number,
  asked: NewList,
): Promise<number> {
  const held = await heldInPlace(tx, authorized)
  const { kind, id: of_id } = await subjectOf(tx, held, asked)
  const board = await lockBoard(tx, held.container, boardId)
  const column = `${kind}_id` as const
  const { rows } = await sql<{ count: number; next: number; taken: boolean }>`
    select count(*)::integer as count, coalesce(max(position) + 1, 0) as next,
      coalesce(bool_or(${sql.ref(column)} = ${of_id}), false) as taken
    from board_lists where board_id = ${board.id}`.execute(tx.db)
  const { count, next, taken: isTaken } = onlyOne(rows)
  if (isTaken) throw taken(column)
  if (count >= MAX_LISTS) throw invalid({ list: [`cannot be added: ${MAX_LISTS} are the most`] })
  const { id } = await tx.db
    .insertInto('board_lists')
    .values({ board_id: board.id, [column]: of_id, position: next, created_at: tx.now, updated_at: tx.now })
    .returning('id')
    .executeTakeFirstOrThrow()
  record(tx, {
    name: 'board list created',
    namespace: board.namespace_id,
    target: { type: 'BoardList', id },
    details: { board_id: board.id, kind, of_id },
  })
  return id
}

/** What a list is about, locked. */
async function subjectOf(
  tx: Tx,
  held: AuthorizedContainer,
  { label_id, assignee_id, milestone_id }: NewList,
): Promise<{ readonly kind: ListKind; readonly id: number }> {
  if (label_id !== undefined) return { kind: 'label', id: await usableLabel(tx, held.container, label_id) }
  if (assignee_id !== undefined) return { kind: 'assignee', id: await usableAssignee(tx, held, assignee_id) }
  return { kind: 'milestone', id: await usableMilestone(tx, held.container, milestone_id ?? 0) }
}
