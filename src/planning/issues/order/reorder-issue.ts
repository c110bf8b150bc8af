import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { InTheWay } from '#platform/db/errors.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { unprocessable } from '#platform/refusals.ts'
import type { IssueRow } from '../queries.ts'
import { issueVisibleTo } from '../visible.ts'
import { makeRoom, neighbours, type IssueOrder, type PositionedIssue, placeUpTo } from './neighbours.ts'
import { positionBetween } from './positions.ts'

/** The ids of the new neighbours, at least one of them. */
export interface NewPosition {
  /** The id of the issue that will come after it. */
  readonly move_after_id?: number
  /** The id of the issue that will come before it. */
  readonly move_before_id?: number
}

/**
 * Puts an issue directly before or after another one of its project or group, in the manual order. When both neighbours
 * are given, it comes directly after the first. Only lists in this order show the change, so it makes no record and
 * leaves `updated_at` alone.
 * @throws 422 for an issue that does not exist, that the caller may not see, or that is the issue itself.
 */
export async function reorderIssue(
  tx: Tx,
  viewer: Viewer,
  issue: Pick<IssueRow, 'id' | 'project_id' | 'namespace_id'>,
  { move_after_id, move_before_id }: NewPosition,
): Promise<void> {
  const ids = [...new Set([move_before_id, move_after_id].filter((id) => id !== undefined))]
  const named = await visibleInGroup(tx, viewer, issue, ids)
  if (named.length < ids.length) throw unprocessable()
  await lockOrder(tx, [issue, ...named])
  await lockInPlace(tx, [issue, ...named])
  const projectIds = [...new Set([issue, ...named].map(({ project_id }) => project_id))]
  const ordering: IssueOrder = { projectIds, movingId: issue.id }
  const first = await firstOf(tx, ids)
  const side = move_before_id === undefined ? 'before' : 'after'
  if (first.relative_position === null) await placeUpTo(tx, ordering, first.id)
  const position = await freePosition(tx, ordering, first.id, side)
  await tx.db.updateTable('issues').set({ relative_position: position }).where('id', '=', issue.id).execute()
}

interface Located {
  readonly id: number
  readonly project_id: number
  readonly namespace_id: number
}

/** The other issues of the same top-level group, or user namespace, with these ids. */
async function visibleInGroup(
  tx: Tx,
  viewer: Viewer,
  { id, namespace_id }: { readonly id: number; readonly namespace_id: number },
  ids: readonly number[],
): Promise<Located[]> {
  return tx.db
    .selectFrom('issues as i')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .innerJoin('namespaces as here', (join) => join.on('here.id', '=', namespace_id))
    .select(['i.id', 'i.project_id', 'n.id as namespace_id'])
    .where(isAnyOf('i.id', ids))
    .where('i.id', '<>', id)
    .where(sql<boolean>`n.traversal_ids[1] = here.traversal_ids[1]`)
    .where(issueVisibleTo(viewer))
    .execute()
}

/** Locks the order: others who reorder issues of these projects wait until this transaction ends. */
async function lockOrder(tx: Tx, containers: readonly Located[]): Promise<void> {
  await tx.db
    .selectFrom('namespaces')
    .select('id')
    .where(isAnyOf('id', new Set(containers.map(({ namespace_id }) => namespace_id))))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
}

/**
 * Keeps issues in their projects until this transaction ends.
 * @throws {InTheWay} when one was deleted or moved to another project meanwhile.
 */
async function lockInPlace(tx: Tx, issues: readonly Located[]): Promise<void> {
  const locked = await tx.db
    .selectFrom('issues')
    .select(['id', 'project_id'])
    .where(isAnyOf('id', new Set(issues.map(({ id }) => id))))
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  const now = new Map(locked.map(({ id, project_id }) => [id, project_id]))
  if (issues.some(({ id, project_id }) => now.get(id) !== project_id))
    throw new InTheWay('an issue of this order has gone')
}

/** The first of these issues in the order. */
function firstOf(
  tx: Tx,
  ids: readonly number[],
): Promise<{ readonly id: number; readonly relative_position: number | null }> {
  return tx.db
    .selectFrom('issues')
    .select(['id', 'relative_position'])
    .where(isAnyOf('id', ids))
    .orderBy(sql`relative_position asc nulls last`)
    .orderBy('id')
    .executeTakeFirstOrThrow()
}

async function freePosition(
  tx: Tx,
  ordering: IssueOrder,
  id: number,
  side: 'before' | 'after',
): Promise<number> {
  const found = await roomBeside(tx, ordering, await placed(tx, id), side)
  if (found !== null) return found
  await makeRoom(tx, ordering, await placed(tx, id))
  const made = await roomBeside(tx, ordering, await placed(tx, id), side)
  if (made === null) throw new Error(`There is still no room beside issue ${id}`)
  return made
}

async function placed(tx: Tx, id: number): Promise<PositionedIssue> {
  const { relative_position } = await tx.db
    .selectFrom('issues')
    .select('relative_position')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  if (relative_position === null) throw new Error(`Issue ${id} has no place yet`)
  return { id, relative_position }
}

async function roomBeside(
  tx: Tx,
  ordering: IssueOrder,
  issue: PositionedIssue,
  side: 'before' | 'after',
): Promise<number | null> {
  const [next] = await neighbours(tx, ordering, issue, side, 1)
  const beyond = next?.relative_position ?? null
  return side === 'after'
    ? positionBetween(issue.relative_position, beyond)
    : positionBetween(beyond, issue.relative_position)
}
