import { sql } from 'kysely'
import { InTheWay } from '#platform/db/errors.ts'
import type { Json, Visibility } from '#platform/db/schema.ts'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { orNotFound } from '#platform/or-not-found.ts'

/**
 * Locks on namespaces. Every transaction takes them from the top of the tree down and, on one level, by id. A
 * transaction that puts something into a namespace takes shared locks on the namespace and all above it. A transaction
 * that changes a namespace takes shared locks on those above and an exclusive lock on its row. Rows that only refer to
 * a namespace wait for neither, because its key never changes.
 */

/** A namespace that something is being put into. */
export interface Parent {
  readonly id: number
  readonly organization_id: number
  readonly traversal_ids: number[]
  readonly full_path: string
  readonly full_name: string
  readonly visibility: Visibility
}

/** A namespace that is being changed. */
export interface LockedNode extends Parent {
  readonly path: string
  readonly name: string
  readonly archived: boolean
  readonly settings: Json
  readonly updated_at: string
  readonly parent: Parent | null
}

/**
 * Takes shared locks on a node and all above it. Until the transaction ends, nobody can rename, move, hide or make them
 * less visible, so that what is put into the node gets the right path and visibility.
 * @throws 404 `Namespace Not Found` when it is gone.
 */
export async function lockParent(tx: Tx, id: number): Promise<Parent> {
  const path = await lockingPath(tx.db, { id })
  const parent = orNotFound(path.at(-1), 'Namespace')
  assertUnmoved(parent, id, path)
  return parent
}

const lockingPath = statement({
  name: 'lock namespace and all above',
  build: (db, param: Params<{ id: number }>) =>
    db
      .selectFrom('namespaces as n')
      .innerJoin('namespaces as a', (join) => join.on('a.id', '=', sql`any(n.traversal_ids)`))
      .select(['a.id', 'a.organization_id', 'a.traversal_ids', 'a.full_path', 'a.full_name', 'a.visibility'])
      .where('n.id', '=', param('id'))
      .where('n.deleted_at', 'is', null)
      .where('a.deleted_at', 'is', null)
      .orderBy(sql`cardinality(a.traversal_ids)`)
      .forShare('a'),
})

/**
 * Takes an exclusive lock on a node and shared locks on what is above it. Transactions that put something below the
 * node hold a lock on it until they end ({@link lockParent}), so later statements find everything below.
 * @throws 404 `Namespace Not Found` when it is gone.
 */
export async function lockNode(tx: Tx, id: number): Promise<LockedNode> {
  const { node } = await lockTogether(tx, id, null)
  return node
}

/**
 * Takes an exclusive lock on a node and locks the namespace that it moves to.
 * @param parentId null for the top level.
 * @throws 404 `Namespace Not Found` when one of them is gone.
 */
export function lockForMove(
  tx: Tx,
  id: number,
  parentId: number | null,
): Promise<{ node: LockedNode; parent: Parent | null }> {
  return lockTogether(tx, id, parentId)
}

async function lockTogether(tx: Tx, id: number, parentId: number | null) {
  const paths = await pathsOf(tx, parentId === null || parentId === id ? [id] : [id, parentId])
  const order = [...new Set(paths.flatMap(({ traversal_ids }) => traversal_ids))]
  const depths = new Map(
    paths.flatMap(({ traversal_ids }) => traversal_ids.map((at, depth) => [at, depth] as const)),
  )
  const depthOf = (at: number) => depths.get(at) ?? 0
  order.sort((one, other) => depthOf(one) - depthOf(other) || one - other)
  const own = order.indexOf(id)
  const locked = [
    ...(await lockRows(tx, order.slice(0, own), 'share')),
    ...(await lockRows(tx, [id], 'no key update')),
    ...(await lockRows(tx, order.slice(own + 1), 'share')),
  ]
  const find = (at: number) => {
    return orNotFound(
      locked.find((one) => one.id === at),
      'Namespace',
    )
  }
  const node = find(id)
  assertUnmoved(node, id, locked)
  const parent = parentId === null ? null : find(parentId)
  if (parent !== null) assertUnmoved(parent, parent.id, locked)
  const above = node.traversal_ids.at(-2)
  return { node: { ...node, parent: above === undefined ? null : find(above) }, parent }
}

/** @throws 404 when one of them is gone */
async function pathsOf(tx: Tx, ids: readonly number[]) {
  const found = await tx.db
    .selectFrom('namespaces')
    .select(['id', 'traversal_ids'])
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .where('deleted_at', 'is', null)
    .execute()
  if (found.length < ids.length) throw notFound('Namespace')
  return found
}

async function lockRows(tx: Tx, ids: readonly number[], strength: 'share' | 'no key update') {
  if (ids.length === 0) return []
  const rows = tx.db
    .selectFrom('namespaces')
    .select(['id', 'organization_id', 'traversal_ids', 'full_path', 'full_name', 'visibility'])
    .select(['path', 'name', 'archived', 'settings', 'updated_at'])
    .where(sql<boolean>`id = any(${[...ids]}::bigint[])`)
    .where('deleted_at', 'is', null)
    .orderBy(sql`cardinality(traversal_ids)`)
    .orderBy('id')
  return (strength === 'share' ? rows.forShare() : rows.forNoKeyUpdate()).execute()
}

/** @throws {InTheWay} when, while waiting for the locks, the node was moved or something above it was hidden. */
function assertUnmoved(node: Parent, id: number, locked: readonly Parent[]): void {
  const held = new Set(locked.map((row) => row.id))
  if (node.id !== id || !node.traversal_ids.every((at) => held.has(at)))
    throw new InTheWay(`namespace ${id} was moved`)
}
