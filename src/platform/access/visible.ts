import { type RawBuilder, sql } from 'kysely'
import { levels } from './roles.ts'
import type { Viewer } from './viewer.ts'

/**
 * The SQL of rights, stated once. Levels come from memberships, inherited down the tree, and from groups that
 * were invited (shares), whose members count for at most the level of the invitation. Computed in the statement
 * that needs it and never kept, so that a revocation holds at once everywhere.
 *
 * `node` is the alias under which the query has `namespaces`.
 */

type Bool = RawBuilder<boolean>

/** Whether a membership or share has not ended; `table` is its alias. */
export const current = (table: string, today: string): Bool =>
  sql<boolean>`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${today}::date)`

/** The level of a user by membership in the namespaces that `where` picks from `m`. */
const byMembership = (user: RawBuilder<unknown>, where: RawBuilder<unknown>, today: string) => sql`(
  select max(m.access_level) from members m
    where m.user_id = ${user} and ${where} and ${current('m', today)})`

/**
 * And by invitations of groups to a node or above it. The aggregate inside keeps PostgreSQL on the way from the few
 * invitations to their members, also while it has no statistics of the tables.
 */
const byShare = (user: RawBuilder<unknown>, path: RawBuilder<unknown>, today: string) => sql`(
  select max(least(held.level, s.access_level)) from shares s
    join namespaces g on g.id = s.group_id and g.deleted_at is null
    cross join lateral ${byMembership(user, sql`m.namespace_id = any(g.traversal_ids)`, today)} as held (level)
    where s.namespace_id = any(${path}) and held.level is not null and ${current('s', today)})`

/** The caller's level at a node, 0 for none. */
export function levelAt(node: string, viewer: Viewer): RawBuilder<number> {
  return viewer.id === null ? sql<number>`0` : levelOf(node, sql<number>`${viewer.id}`, viewer.today)
}

/** The same for a user whom the statement finds itself. */
export function levelOf(node: string, user: RawBuilder<number>, today: string): RawBuilder<number> {
  const path = sql.ref(`${node}.traversal_ids`)
  const members = byMembership(user, sql`m.namespace_id = any(${path})`, today)
  return sql<number>`coalesce(greatest(${members}, ${byShare(user, path, today)}), 0)`
}

/** That part of {@link levelAt} which is a membership of the node itself, 0 for none. */
export function directLevelAt(node: string, { id, today }: Viewer): RawBuilder<number> {
  if (id === null) return sql<number>`0`
  const there = sql`m.namespace_id = ${sql.ref(`${node}.id`)}`
  return sql<number>`coalesce(${byMembership(sql`${id}`, there, today)}, 0)`
}

/** The other part: by groups, those above the node and those invited to it or above. */
export function inheritedLevelAt(node: string, { id, today }: Viewer): RawBuilder<number> {
  if (id === null) return sql<number>`0`
  const path = sql.ref(`${node}.traversal_ids`)
  const above = sql`m.namespace_id = any(${path}) and m.namespace_id <> ${sql.ref(`${node}.id`)}`
  const members = byMembership(sql`${id}`, above, today)
  return sql<number>`coalesce(greatest(${members}, ${byShare(sql`${id}`, path, today)}), 0)`
}

/** The ids of the nodes where the caller has at least `level` directly or by a share: evaluated once a statement. */
export function grantsOf({ id, today }: Viewer, level: number = levels.guest): RawBuilder<number[]> {
  return grants(sql<number>`${id}`, today, level)
}

function grants(user: RawBuilder<number>, today: string, level: number): RawBuilder<number[]> {
  const own = sql`select m.namespace_id from members m
    where m.user_id = ${user} and m.access_level >= ${level} and ${current('m', today)}`
  // An array, so that the index over the paths finds the groups; a join reads every share there is.
  return sql<number[]>`array(${own}
    union all
    select s.namespace_id from shares s
      join namespaces g on g.id = s.group_id and g.deleted_at is null
      where g.traversal_ids && array(${own}) and s.access_level >= ${level} and ${current('s', today)})`
}

/** Whether the caller has at least this level at a node: what `min_access_level`, `membership` and `owned` ask. */
export function hasLevel(node: string, viewer: Viewer, level: number): Bool {
  if (viewer.id === null) return sql<boolean>`false`
  return sql<boolean>`${sql.ref(`${node}.traversal_ids`)} && ${grantsOf(viewer, level)}`
}

/**
 * The one predicate for what may be seen, in rows and in totals: not being deleted, reachable from the viewer's
 * address, and public, or internal for people of the instance, or with a level of Guest or more there.
 */
export function visibleTo(node: string, viewer: Viewer): Bool {
  const present = sql<boolean>`${sql.ref(`${node}.deleted_at`)} is null`
  if (viewer.admin) return present
  const visibility = sql.ref(`${node}.visibility`)
  const open = seesInternal(viewer) ? sql`('public', 'internal')` : sql`('public')`
  return sql<boolean>`(${present}${reachableFrom(node, viewer)}
    and (${visibility} in ${open} or ${hasLevel(node, viewer, levels.guest)}))`
}

/**
 * A further condition: the node and the groups above it take requests from the viewer's address, or it is a group that
 * the viewer owns. Nothing at all where every group does, as in most instances; doors.ts says the same of one row.
 */
function reachableFrom(node: string, viewer: Viewer): RawBuilder<unknown> {
  if (viewer.closed.length === 0) return sql``
  const of = (column: string) => sql.ref(`${node}.${column}`)
  return sql` and (not ${of('traversal_ids')} && ${[...viewer.closed]}::bigint[]
    or (${of('kind')} = 'group' and ${hasLevel(node, viewer, levels.owner)}))`
}

/** Whether a project is closed to the viewer's address: counts that are kept for all addresses leave these out. */
export function closedAt(node: string, { closed }: Viewer): Bool {
  return sql<boolean>`${sql.ref(`${node}.traversal_ids`)} && ${[...closed]}::bigint[]`
}

/** Whether what is internal is open to the caller: people of the instance, external users aside. */
export const seesInternal = ({ id, external }: Viewer): boolean => id !== null && !external

/** The same for groups, which are also seen by those who see something below them as members. */
export function groupVisibleTo(node: string, viewer: Viewer): Bool {
  if (viewer.admin || viewer.id === null) return visibleTo(node, viewer)
  return sql<boolean>`(${visibleTo(node, viewer)} or
    (${sql.ref(`${node}.deleted_at`)} is null${reachableFrom(node, viewer)} and ${readsBelow(node, viewer)}))`
}

/** Whether the caller is a member of something below this group. */
export function readsBelow(node: string, { id, today }: Viewer): Bool {
  return id === null ? sql<boolean>`false` : readsBelowOf(node, sql<number>`${id}`, today)
}

/** The same for a user whom the statement finds itself. */
export function readsBelowOf(node: string, user: RawBuilder<number>, today: string): Bool {
  return sql<boolean>`${sql.ref(`${node}.id`)} = any(array(
    select unnest(b.traversal_ids) from namespaces b
      where b.deleted_at is null and b.id = any(${grants(user, today, levels.guest)})))`
}

/** Whether a node, or a group above it, is archived. */
export function archivedAt(node: string): Bool {
  return sql<boolean>`exists (select 1 from namespaces a
    where a.archived and a.id = any(${sql.ref(`${node}.traversal_ids`)}))`
}

/** The same for lists, which look the archived groups up once. */
export function archivedIn(node: string): Bool {
  return sql<boolean>`(${sql.ref(`${node}.archived`)} or ${sql.ref(`${node}.traversal_ids`)} && array(
    select a.id from namespaces a where a.archived and a.kind = 'group'))`
}

/**
 * Whether a person who is not asking may read what is at a node: the same predicate as {@link visibleTo}, for
 * whoever gets mail or a to-do about it. They ask from no address, so that none is closed to them.
 * @param user the alias under which the query has `users`.
 */
export function readableBy(node: string, user: string, today: string): Bool {
  const of = (column: string) => sql.ref(`${user}.${column}`)
  const visibility = sql.ref(`${node}.visibility`)
  return sql<boolean>`(${sql.ref(`${node}.deleted_at`)} is null and ${of('state')} = 'active' and (
    ${of('admin')} or ${visibility} = 'public' or (${visibility} = 'internal' and not ${of('external')})
    or ${levelOf(node, sql<number>`${of('id')}`, today)} >= ${levels.guest}))`
}
