import { type RawBuilder, sql } from 'kysely'
import { type Operand, Param } from '#platform/db/statement.ts'
import { levels } from './roles.ts'
import type { SqlViewer } from './viewer.ts'

/**
 * The SQL of rights, stated once. Levels come from memberships, inherited down the tree, and from invited groups
 * (shares), whose members get at most the level of the invitation. Each statement computes them when it needs them
 * and nothing stores them, so a revocation takes effect everywhere at once.
 *
 * `node` is the alias under which the query has `namespaces`.
 */

type Bool = RawBuilder<boolean>

/** Whether a membership or share has not ended; `table` is its alias. */
export const current = (table: string, today: Operand<string>): Bool =>
  sql<boolean>`(${sql.ref(`${table}.expires_at`)} is null or ${sql.ref(`${table}.expires_at`)} > ${today}::date)`

/** The level of a user by membership in the namespaces that `where` picks from `m`. */
const byMembership = (user: RawBuilder<unknown>, where: RawBuilder<unknown>, today: Operand<string>) => sql`(
  select max(m.access_level) from members m
    where m.user_id = ${user} and ${where} and ${current('m', today)})`

/**
 * The level of a user by groups invited to a node or above it. The aggregate inside makes PostgreSQL go from the few
 * invitations to their members, even without statistics of the tables.
 */
const byShare = (user: RawBuilder<unknown>, path: RawBuilder<unknown>, today: Operand<string>) => sql`(
  select max(least(held.level, s.access_level)) from shares s
    join namespaces g on g.id = s.group_id and g.deleted_at is null
    cross join lateral ${byMembership(user, sql`m.namespace_id = any(g.traversal_ids)`, today)} as held (level)
    where s.namespace_id = any(${path}) and held.level is not null and ${current('s', today)})`

/** The caller's level at a node; 0 for none. */
export function levelAt(node: string, viewer: SqlViewer): RawBuilder<number> {
  return viewer.id === null ? sql<number>`0` : levelOf(node, sql<number>`${viewer.id}`, viewer.today)
}

/** The same for a user whom the statement finds itself. */
export function levelOf(node: string, user: RawBuilder<number>, today: Operand<string>): RawBuilder<number> {
  const path = sql.ref(`${node}.traversal_ids`)
  const members = byMembership(user, sql`m.namespace_id = any(${path})`, today)
  return sql<number>`coalesce(greatest(${members}, ${byShare(user, path, today)}), 0)`
}

/** The part of {@link levelAt} that comes from membership in the node itself; 0 for none. */
export function directLevelAt(node: string, { id, today }: SqlViewer): RawBuilder<number> {
  if (id === null) return sql<number>`0`
  const there = sql`m.namespace_id = ${sql.ref(`${node}.id`)}`
  return sql<number>`coalesce(${byMembership(sql`${id}`, there, today)}, 0)`
}

/** The other part: from groups above the node, and groups invited to it or above. */
export function inheritedLevelAt(node: string, { id, today }: SqlViewer): RawBuilder<number> {
  if (id === null) return sql<number>`0`
  const path = sql.ref(`${node}.traversal_ids`)
  const above = sql`m.namespace_id = any(${path}) and m.namespace_id <> ${sql.ref(`${node}.id`)}`
  const members = byMembership(sql`${id}`, above, today)
  return sql<number>`coalesce(greatest(${members}, ${byShare(sql`${id}`, path, today)}), 0)`
}

/** The ids of the nodes where the caller has at least `level` directly or by a share. Evaluated once per statement. */
export function grantsOf(
  { id, today, isDecided }: SqlViewer,
  level: number = levels.guest,
): RawBuilder<number[]> {
  return isDecided
    ? sql<number[]>`array(select g.id from granted g where g.level >= ${sql.lit(level)})`
    : grants(sql<number>`${id}`, today, level)
}

function grants(user: RawBuilder<number>, today: Operand<string>, level: number): RawBuilder<number[]> {
  const own = sql`select m.namespace_id from members m
    where m.user_id = ${user} and m.access_level >= ${level} and ${current('m', today)}`
  return sql<number[]>`array(${own}
    union all
    select s.namespace_id from shares s
      join namespaces g on g.id = s.group_id and g.deleted_at is null
      where ${invitesGroupsOf(user, today, level)} and s.access_level >= ${level} and ${current('s', today)})`
}

/**
 * Whether the invited group of a share `s` is one in which a user has a role by membership, or is below one. Arrays let
 * indexes find the groups and their shares, where a join would read every share. Memberships in projects, of which some
 * people have thousands, are not looked for there; and nothing is on an instance without shares.
 */
const invitesGroupsOf = (user: RawBuilder<number>, today: Operand<string>, level: number): Bool =>
  sql<boolean>`s.group_id = any(array(
    select b.id from namespaces b
      where (b.kind = 'group') is true and exists (select 1 from shares) and b.traversal_ids && array(
      select m.namespace_id from members m join namespaces mg on mg.id = m.namespace_id and mg.kind = 'group'
        where m.user_id = ${user} and m.access_level >= ${level} and ${current('m', today)})))`

/**
 * The same with their levels, for statements that ask for several: a query for `id` and `level`. A node may occur more than
 * once, and the highest level counts.
 */
export function grantedLevels({ id, today }: SqlViewer): RawBuilder<unknown> {
  if (id === null) return sql`select null::bigint as id, 0 as level where false`
  const own = sql`select m.namespace_id as id, m.access_level as level from members m
    where m.user_id = ${id} and ${current('m', today)}`
  return sql`${own}
    union all
    select s.namespace_id, least(s.access_level,
        (select max(o.level) from (${own}) o where o.id = any(g.traversal_ids)))
      from shares s join namespaces g on g.id = s.group_id and g.deleted_at is null
      where ${invitesGroupsOf(sql<number>`${id}`, today, levels.minimal)} and ${current('s', today)}`
}

/**
 * Something that asks for rights in many places. The caller's grants are computed once for all of them; otherwise
 * PostgreSQL would take many times longer to plan the statement than to run it.
 * @param value is built for the viewer that it gets.
 */
export function decidingOnce<T, V extends SqlViewer>(
  viewer: V,
  value: (viewer: V) => RawBuilder<T>,
): RawBuilder<T> {
  if (viewer.admin || viewer.id === null || viewer.isDecided) return value(viewer)
  return sql<T>`(with granted (id, level) as materialized (${grantedLevels(viewer)})
    select ${value({ ...viewer, isDecided: true })})`
}

/** Whether the caller has at least this level at a node: for `min_access_level`, `membership` and `owned`. */
export function hasLevel(node: string, viewer: SqlViewer, level: number): Bool {
  if (viewer.id === null) return sql<boolean>`false`
  return sql<boolean>`${sql.ref(`${node}.traversal_ids`)} && ${grantsOf(viewer, level)}`
}

/**
 * The one predicate for visibility, in rows and in totals: not being deleted; reachable from the viewer's address;
 * and public, or internal for people of the instance, or with a level of Guest or more there.
 * @param member says in another way whether the viewer has that level.
 */
export function visibleTo(
  node: string,
  viewer: SqlViewer,
  member = hasLevel(node, viewer, levels.guest),
): Bool {
  const present = sql<boolean>`${sql.ref(`${node}.deleted_at`)} is null`
  if (viewer.admin) return present
  const visibility = sql.ref(`${node}.visibility`)
  return sql<boolean>`(${present}${reachableFrom(node, viewer)}
    and (${visibility} in ${openVisibilities(viewer)} or ${member}))`
}

/** The visibilities of what the caller may see without any role there. */
export const openVisibilities = (viewer: SqlViewer): RawBuilder<unknown> =>
  seesInternal(viewer) ? sql`('public', 'internal')` : sql`('public')`

/**
 * A further condition: the node and the groups above it accept the viewer's address, or it is a group that the viewer
 * owns. Empty when every group does, as on most instances. authorize.ts says the same of one row.
 */
function reachableFrom(node: string, viewer: SqlViewer): RawBuilder<unknown> {
  if (!(viewer.closed instanceof Param) && viewer.closed.length === 0) return sql``
  const of = (column: string) => sql.ref(`${node}.${column}`)
  return sql` and (not ${of('traversal_ids')} && ${viewer.closed}::bigint[]
    or (${of('kind')} = 'group' and ${hasLevel(node, viewer, levels.owner)}))`
}

/** Whether a project refuses the viewer's address. Counts that are stored for all addresses exclude such projects. */
export function closedAt(node: string, { closed }: SqlViewer): Bool {
  return sql<boolean>`${sql.ref(`${node}.traversal_ids`)} && ${closed}::bigint[]`
}

/** Whether the caller may see what is internal: people of the instance, except external users. */
export const seesInternal = ({ id, external }: SqlViewer): boolean => id !== null && !external

/** The same for groups. Members of something below a group also see the group. */
export function groupVisibleTo(node: string, viewer: SqlViewer): Bool {
  if (viewer.admin || viewer.id === null) return visibleTo(node, viewer)
  return sql<boolean>`(${visibleTo(node, viewer)} or
    (${sql.ref(`${node}.deleted_at`)} is null${reachableFrom(node, viewer)} and ${readsBelow(node, viewer)}))`
}

/** Whether the caller is a member of something below this group. */
export function readsBelow(node: string, viewer: SqlViewer): Bool {
  return viewer.id === null ? sql<boolean>`false` : isAboveOneOf(node, grantsOf(viewer))
}

/** The same for a user whom the statement finds itself. */
export function readsBelowOf(node: string, user: RawBuilder<number>, today: Operand<string>): Bool {
  return isAboveOneOf(node, grants(user, today, levels.guest))
}

const isAboveOneOf = (node: string, ids: RawBuilder<number[]>): Bool =>
  sql<boolean>`${sql.ref(`${node}.id`)} = any(array(
    select unnest(b.traversal_ids) from namespaces b
      where b.deleted_at is null and b.id = any(${ids})))`

/** Whether a node, or a group above it, is archived. */
export function archivedAt(node: string): Bool {
  return sql<boolean>`exists (select 1 from namespaces a
    where a.archived and a.id = any(${sql.ref(`${node}.traversal_ids`)}))`
}

/** The same for lists, which look up the archived groups once. */
export function archivedIn(node: string): Bool {
  return sql<boolean>`(${sql.ref(`${node}.archived`)} or ${sql.ref(`${node}.traversal_ids`)} && array(
    select a.id from namespaces a where a.archived and a.kind = 'group'))`
}

/**
 * Whether someone other than the caller may read what is at a node: {@link visibleTo} for the recipients of mail and
 * to-dos. They ask from no address, so no group is closed to them.
 * @param user the alias under which the query has `users`.
 */
export function readableBy(node: string, user: string, today: Operand<string>): Bool {
  const of = (column: string) => sql.ref(`${user}.${column}`)
  const visibility = sql.ref(`${node}.visibility`)
  return sql<boolean>`(${sql.ref(`${node}.deleted_at`)} is null and ${of('state')} = 'active' and (
    ${of('admin')} or ${visibility} = 'public' or (${visibility} = 'internal' and not ${of('external')})
    or ${levelOf(node, sql<number>`${of('id')}`, today)} >= ${levels.guest}))`
}
