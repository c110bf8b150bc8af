import { type RawBuilder, sql } from 'kysely'
import { type UserBasicRow, userBasicJson } from '#identity/users/basic.ts'
import type { TreePosition } from '#platform/access/containers.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { notFound } from '#platform/refusals.ts'
import { type CarriedLabel, carriedLabelJson } from '#planning/labels/carried.ts'
import { type MilestoneRow, milestoneJson } from '#planning/milestones/entity.ts'
import type { BoardRow, ListRow } from './entity.ts'

/** As they were created. */
export const boardOrder: ListOrder = { of: 'Board', id: 'b.id', columns: {}, by: 'id', sort: 'asc' }

export const listOrder: ListOrder = {
  of: 'List',
  id: 'k.id',
  columns: { position: { column: 'k.position' } },
  by: 'position',
  sort: 'asc',
}

/** Nobody reads the descriptions of these milestones. */
const milestone = (id: string): RawBuilder<MilestoneRow | null> => milestoneJson(sql.ref(id), 0)

const assignee = (id: string): RawBuilder<UserBasicRow | null> =>
  sql`(select ${userBasicJson('u')} from users u where u.id = ${sql.ref(id)})`

/** What is deleted leaves gaps between the positions of lists, which nobody sees. */
const position = sql<number>`(select count(*)::integer from board_lists e
  where e.board_id = k.board_id and e.position < k.position)`

const label = (longest?: number): RawBuilder<CarriedLabel | null> =>
  sql`(select ${carriedLabelJson('l', longest)} from labels l where l.id = k.label_id)`

const labels = (longest?: number): RawBuilder<CarriedLabel[]> => sql`(
  select coalesce(json_agg(${carriedLabelJson('l', longest)} order by l.name, l.id), '[]')
  from board_labels c join labels l on l.id = c.label_id where c.board_id = b.id)`

const lists = (longest?: number): RawBuilder<ListRow[]> => sql`(
  select coalesce(json_agg(json_build_object('id', k.id, 'board_id', k.board_id, 'position', ${position},
    'label', ${label(longest)}, 'assignee', ${assignee('k.assignee_id')}, 'milestone', ${milestone('k.milestone_id')},
    'updated_at', k.updated_at) order by k.position), '[]')
  from board_lists k where k.board_id = b.id)`

/** The boards of a project or group, each with everything that presenters need, without descriptions of more bytes than `longest`. */
export const boardsOf = (db: Db | Tx['db'], { namespace_id }: TreePosition, longest?: number) =>
  db
    .selectFrom('boards as b')
    .where('b.namespace_id', '=', namespace_id)
    .select([
      'b.id',
      'b.namespace_id',
      'b.name',
      'b.hide_backlog_list',
      'b.hide_closed_list',
      'b.weight',
      'b.updated_at',
    ])
    .select([
      milestone('b.milestone_id').as('milestone'),
      assignee('b.assignee_id').as('assignee'),
      labels(longest).as('labels'),
      lists(longest).as('lists'),
    ])

/** @throws 404 `Board Not Found` */
export const findBoard = (db: Db | Tx['db'], home: TreePosition, id: number): Promise<BoardRow> =>
  boardsOf(db, home)
    .where('b.id', '=', id)
    .executeTakeFirstOrThrow(() => notFound('Board'))

/** The bytes that a row of a list was read without. */
export const lacks = ({ labels: own, lists: all }: BoardRow): number =>
  [...own, ...all.map((list) => list.label)].reduce((bytes, one) => bytes + (one?.left_out ?? 0), 0)

/** The lists of a board of a project or group. */
export const listsOf = (db: Db | Tx['db'], { namespace_id }: TreePosition, boardId: number) =>
  db
    .selectFrom('board_lists as k')
    .innerJoin('boards as b', 'b.id', 'k.board_id')
    .where('k.board_id', '=', boardId)
    .where('b.namespace_id', '=', namespace_id)
    .select(['k.id', 'k.board_id', 'k.updated_at'])
    .select([
      position.as('position'),
      label().as('label'),
      assignee('k.assignee_id').as('assignee'),
      milestone('k.milestone_id').as('milestone'),
    ])

/** @throws 404 `List Not Found` */
export const findList = (
  db: Db | Tx['db'],
  home: TreePosition,
  { board_id, list_id }: { readonly board_id: number; readonly list_id: number },
): Promise<ListRow> =>
  listsOf(db, home, board_id)
    .where('k.id', '=', list_id)
    .executeTakeFirstOrThrow(() => notFound('List'))

/** What a write needs of a board, and holds until the transaction ends. */
export type LockedBoard = Awaited<ReturnType<typeof lockBoard>>

/**
 * Locks a board, and with it which lists it has and their order.
 * @throws 404 `Board Not Found`
 */
export function lockBoard(
  tx: Tx,
  { namespace_id }: TreePosition,
  id: number,
  strength: 'change' | 'delete' = 'change',
) {
  const board = tx.db
    .selectFrom('boards as b')
    .select(['b.id', 'b.namespace_id', 'b.name', 'b.updated_at'])
    .where('b.id', '=', id)
    .where('b.namespace_id', '=', namespace_id)
  return (strength === 'delete' ? board.forUpdate() : board.forNoKeyUpdate()).executeTakeFirstOrThrow(() =>
    notFound('Board'),
  )
}
