import { sql } from 'kysely'
import { subtreeIds } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'

/**
 * Runs after a project, or a group with everything below it, has moved. Lists and scopes of boards with labels and milestones of groups that
 * are no longer above get those of the same name at the new location. Lists without one are gone, and scopes are wider then.
 * @param nodeId the namespace that moved.
 * @param former the ids of the groups that were above it.
 */
export async function rehomeBoards(tx: Tx, nodeId: number, former: readonly number[]): Promise<void> {
  if (former.length === 0) return
  const boards = await lockBoardsBelow(tx, nodeId)
  if (boards.length === 0) return
  await replace(tx, boards, former, { table: 'board_lists', things: 'labels' })
  await replace(tx, boards, former, { table: 'board_lists', things: 'milestones' })
  await replace(tx, boards, former, { table: 'board_labels', things: 'labels' })
  await replaceMilestones(tx, boards, former)
}

/** Labels and milestones by their names, with the column that refers to one of them. */
const named = {
  labels: { table: sql.table('labels'), column: sql.ref('label_id'), name: sql.ref('name') },
  milestones: { table: sql.table('milestones'), column: sql.ref('milestone_id'), name: sql.ref('title') },
} as const
type Things = keyof typeof named

async function lockBoardsBelow(tx: Tx, nodeId: number): Promise<readonly number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from boards where namespace_id = any(${subtreeIds(nodeId)}) order by id for no key update`.execute(
    tx.db,
  )
  return rows.map(({ id }) => id)
}

/** What boards refer to and must not any more, each with the one of the same name at the new place, the nearest first. */
function strays(
  table: 'board_lists' | 'board_labels' | 'boards',
  things: Things,
  boards: readonly number[],
  former: readonly number[],
) {
  const { table: all, column, name } = named[things]
  const board = table === 'boards' ? sql`r.id` : sql`r.board_id`
  return sql`
    select b.id as board_id, r.${column} as from_id, (
      select o.id from ${all} o where o.${name} = t.${name} and o.namespace_id = any(n.traversal_ids)
      order by array_position(n.traversal_ids, o.namespace_id) desc limit 1) as to_id
    from ${sql.table(table)} r join boards b on b.id = ${board} join namespaces n on n.id = b.namespace_id
      join ${all} t on t.id = r.${column}
    where ${board} = any(${[...boards]}::bigint[]) and t.namespace_id = any(${[...former]}::bigint[])
      and t.namespace_id <> all (n.traversal_ids)`
}

/** Replaces them in rows of which a board has one for each thing. */
async function replace(
  tx: Tx,
  boards: readonly number[],
  former: readonly number[],
  { table, things }: { readonly table: 'board_lists' | 'board_labels'; readonly things: Things },
): Promise<void> {
  const { column } = named[things]
  const rows = sql.table(table)
  await sql`
    with stray as (${strays(table, things, boards, former)}), first as (
      select distinct on (board_id, to_id) board_id, from_id, to_id from stray
      where to_id is not null and not exists (select from ${rows} o where o.board_id = stray.board_id and o.${column} = stray.to_id)
      order by board_id, to_id, from_id
    ), kept as (
      update ${rows} r set ${column} = first.to_id from first
      where r.board_id = first.board_id and r.${column} = first.from_id
    )
    delete from ${rows} r using stray s where r.board_id = s.board_id and r.${column} = s.from_id
      and not exists (select from first f where f.board_id = s.board_id and f.from_id = s.from_id)`.execute(
    tx.db,
  )
}

async function replaceMilestones(
  tx: Tx,
  boards: readonly number[],
  former: readonly number[],
): Promise<void> {
  await sql`
    with stray as (${strays('boards', 'milestones', boards, former)})
    update boards b set milestone_id = stray.to_id from stray where b.id = stray.board_id`.execute(tx.db)
}
