import { type RawBuilder, sql } from 'kysely'
import { levels } from './roles.ts'
import type { Viewer } from './viewer.ts'
import { grantsOf } from './visible.ts'

/**
 * Decides rights once per statement, for lists of projects and groups: table expressions for `with recursive`.
 *
 * - `grants (id)`: the few nodes where the viewer has at least `level` directly or by a share.
 * - `held (id, kind)`: these nodes and everything below them, or the groups among these. PostgreSQL computes only as much
 *   of it as is read, so a limit bounds its cost.
 */
export function heldNodes(
  viewer: Viewer,
  level: number = levels.guest,
  kinds: 'all' | 'groups' = 'all',
): RawBuilder<unknown> {
  const ofKind = (node: string) =>
    kinds === 'groups' ? sql` and ${sql.ref(`${node}.kind`)} = 'group'` : sql``
  const granted =
    viewer.id === null
      ? sql`select null::bigint as id where false`
      : sql`select distinct g.id from unnest(${grantsOf(viewer, level)}) as g (id)`
  // The array and the offset lead PostgreSQL through indexes, whatever its statistics say.
  return sql`grants (id) as materialized (${granted}),
    held (id, kind) as (
      select n.id, n.kind from namespaces n
        where n.id = any(array(select g.id from grants g)) and n.deleted_at is null${ofKind('n')}
      union
      select c.id, c.kind from held h
        cross join lateral (select b.id, b.kind from namespaces b
          where b.parent_id = h.id and b.deleted_at is null${ofKind('b')} offset 0) c
        where h.kind = 'group')`
}

/**
 * Whether a node is one of `grants` or below one. Written so that PostgreSQL cannot make a join of it: it tests the few
 * ids of each path against a hash table.
 */
export function inGrants(node: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select 1 from unnest(${sql.ref(`${node}.traversal_ids`)}) as above (id)
    where (above.id in (select g.id from grants g)) is true)`
}

/**
 * Whether a node is one of those in which the viewer has at least `level`, for lists of these nodes alone: an index leads from the
 * few nodes to their rows.
 */
export const isHeld = (node: string, viewer: Viewer, level: number, kinds?: 'groups'): RawBuilder<boolean> =>
  sql<boolean>`${sql.ref(`${node}.id`)} = any(array(with recursive ${heldNodes(viewer, level, kinds)} select h.id from held h))`

/** Whether the viewer has at least `level` in a group, for lists: the groups are found once and the test is a look-up. */
export function hasLevelInGroup(node: string, viewer: Viewer, level: number): RawBuilder<boolean> {
  if (viewer.id === null) return sql<boolean>`false`
  return isOneOf(node, sql`with recursive ${heldNodes(viewer, level, 'groups')} select h.id from held h`)
}

/** The same for any role there or in something below it. */
export function readsGroup(node: string, viewer: Viewer): RawBuilder<boolean> {
  if (viewer.id === null) return sql<boolean>`false`
  return isOneOf(
    node,
    sql`with recursive ${heldNodes(viewer, levels.guest, 'groups')} select h.id from held h
      union all
      select unnest(b.traversal_ids) from namespaces b
        where b.id = any(array(select g.id from grants g)) and b.deleted_at is null`,
  )
}

const isOneOf = (node: string, ids: RawBuilder<unknown>) =>
  sql<boolean>`((${sql.ref(`${node}.id`)} in (${ids})) is true)`
