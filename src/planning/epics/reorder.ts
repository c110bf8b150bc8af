import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import { GAP, positionBetween } from '#planning/issues/order/positions.ts'

/** Where an order is kept: of the issues of an epic, or of the epics below it. */
const lists = {
  issues: { table: 'epic_issues', epic: 'epic_id' },
  children: { table: 'epics', epic: 'parent_id' },
} as const

/** The new neighbours, at least one of them, as the caller sees them. */
interface NewPosition {
  /** Comes before it. */
  readonly move_before_id?: number
  /** Comes after it. */
  readonly move_after_id?: number
  /** Those with these ids that are in the epic, and that the caller may see. */
  readonly visible: (ids: readonly number[]) => Promise<readonly unknown[]>
}

/**
 * Puts an issue of an epic, or an epic below it, directly after or before another one. When both neighbours are given, it
 * comes directly after the first.
 * @param epicId of the epic, which is locked: so nobody else changes the order.
 * @throws 404 when one of them is not in the epic, or hidden from the caller
 */
export async function reorder(
  tx: Tx,
  kind: keyof typeof lists,
  epicId: number,
  id: number,
  { move_before_id, move_after_id, visible }: NewPosition,
): Promise<void> {
  const order = { ...lists[kind], epicId, id }
  const beside = move_before_id ?? move_after_id
  const wanted = new Set([id, move_before_id ?? id, move_after_id ?? id])
  const found = await visible([...wanted])
  if (found.length < wanted.size || beside === undefined || beside === id) throw notFound()
  const side = move_before_id === undefined ? 'before' : 'after'
  let position = await roomBeside(tx, order, beside, side)
  if (position === null) {
    await spread(tx, order)
    position = await roomBeside(tx, order, beside, side)
  }
  if (position === null) throw new Error(`There is no room beside ${beside}`)
  await sql`update ${sql.table(order.table)} set relative_position = ${position} where id = ${id}`.execute(
    tx.db,
  )
}

interface Order {
  readonly table: string
  readonly epic: string
  readonly epicId: number
  /** What is moved. */
  readonly id: number
}

interface PlacedRow {
  readonly id: number
  readonly relative_position: number
}

async function placesOf(
  tx: Tx,
  { table, epic, epicId }: Order,
  ids: readonly number[],
): Promise<readonly PlacedRow[]> {
  const { rows } = await sql<PlacedRow>`
    select id, relative_position from ${sql.table(table)}
    where ${sql.ref(epic)} = ${epicId} and id = any(${[...ids]}::bigint[])`.execute(tx.db)
  return rows
}

/** A position between something and its neighbour on one side; null when there is none. */
async function roomBeside(
  tx: Tx,
  order: Order,
  beside: number,
  side: 'before' | 'after',
): Promise<number | null> {
  const at = onlyOne(await placesOf(tx, order, [beside]))
  const { table, epic, epicId, id } = order
  const [compare, direction] = side === 'after' ? [sql`>`, sql`asc`] : [sql`<`, sql`desc`]
  const { rows } = await sql<PlacedRow>`
    select id, relative_position from ${sql.table(table)}
    where ${sql.ref(epic)} = ${epicId} and id <> ${id}
      and (relative_position, id) ${compare} (${at.relative_position}::integer, ${beside}::bigint)
    order by relative_position ${direction}, id ${direction} limit 1`.execute(tx.db)
  const beyond = rows[0]?.relative_position ?? null
  return side === 'after'
    ? positionBetween(at.relative_position, beyond)
    : positionBetween(beyond, at.relative_position)
}

/** Makes room between all: an epic has a bounded number of them. */
async function spread(tx: Tx, { table, epic, epicId }: Order): Promise<void> {
  await sql`
    update ${sql.table(table)} t set relative_position = placed.position
    from (select id, (row_number() over (order by relative_position, id) * ${GAP})::integer as position
      from ${sql.table(table)} where ${sql.ref(epic)} = ${epicId}) placed
    where t.id = placed.id`.execute(tx.db)
}
