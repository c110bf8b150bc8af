import { type RawBuilder, type SelectQueryBuilder, type Selectable, sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { hasLevelInGroup, readsGroup } from '#platform/access/held-nodes.ts'
import { archivedIn, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import type { DB, Namespaces, Visibility } from '#platform/db/schema.ts'
import { contains } from '#platform/db/search.ts'
import { inSubtree } from '#platform/db/subtree.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest } from '#platform/refusals.ts'
import type { ListOrder, Sort } from '#platform/http/order.ts'

const common = {
  of: 'Group',
  id: 'n.id',
  by: 'name',
  sort: 'asc',
} as const
const columns = {
  name: { column: 'n.name' },
  path: { column: 'n.path' },
  id: { column: 'n.id' },
  /** {@link filterGroups} selects it when the request sorts by it. */
  similarity: { column: 'similarity', selected: true as const },
}

/** The order of the list of all groups. As the specification says, only anonymous callers get keyset pages. */
export const allGroupsOrder: ListOrder = {
  ...common,
  columns: { ...columns, created_at: { column: 'n.created_at' }, updated_at: { column: 'n.updated_at' } },
  statements: new StatementCache({ name: 'groups', max: 16, plan: 'generic' }),
  keyset: { orders: { name: ['asc'] }, availability: 'unauthenticated' },
}
/** The order of the groups below another. */
export const groupOrder: ListOrder = { ...common, columns }
export const sharedGroupsOrder: ListOrder = groupOrder
/** The order of groups to choose from. */
export const offeredOrder: ListOrder = { ...common, columns: { name: columns.name } }

const groupColumns = [
  'n.id',
  'n.kind',
  'n.organization_id',
  'n.parent_id',
  'n.traversal_ids',
  'n.owner_id',
  'n.path',
  'n.full_path',
  'n.name',
  'n.full_name',
  'n.description',
  'n.visibility',
  'n.archived',
  'n.deleted_at',
  'n.settings',
  'n.avatar',
  'n.created_at',
  'n.updated_at',
] as const

/** The groups that the viewer may see. */
export function groupsFor(db: Db | Tx['db'], viewer: Viewer) {
  return db
    .selectFrom('namespaces as n')
    .select(groupColumns)
    .where('n.kind', '=', 'group')
    .where(visibleTo('n', viewer, readsGroup('n', viewer)))
}

type GroupQuery = SelectQueryBuilder<DB & { n: Namespaces }, 'n', Selectable<Namespaces>>

export interface GroupFilter {
  readonly skip_groups?: readonly number[]
  readonly visibility?: Visibility
  readonly search?: string
  readonly min_access_level?: number
  readonly order_by?: string
  readonly sort?: Sort
  readonly archived?: boolean
  readonly all_available?: boolean
  readonly owned?: boolean
  readonly top_level_only?: boolean
  readonly marked_for_deletion_on?: string
  readonly active?: boolean
  readonly repository_storage?: string
}

/**
 * Narrows a list of groups.
 * @throws 400 for the order by similarity without a search.
 */
export function filterGroups(groups: GroupQuery, filter: GroupFilter, viewer: Viewer): GroupQuery {
  const { search = '', visibility, skip_groups = [], min_access_level, archived } = filter
  const wanted = conditions(filter, viewer)
  if (filter.order_by === 'similarity' && search === '') {
    throw badRequest('order_by similarity needs a search')
  }
  return groups
    .$if(visibility !== undefined, (q) => q.where('n.visibility', '=', visibility ?? 'private'))
    .$if(skip_groups.length > 0, (q) =>
      q.where('n.id', '<>', (eb) => eb.fn('all', [eb.val([...skip_groups])])),
    )
    .$if(min_access_level !== undefined, (q) => q.where(hasLevelInGroup('n', viewer, min_access_level ?? 0)))
    .$if(archived !== undefined, (q) => q.where('n.archived', '=', archived ?? false))
    .$if(search !== '', (q) => q.where(contains(['n.name', 'n.path'], search)))
    .$if(filter.order_by === 'similarity', (q) =>
      q.select(likeness(search, filter.sort ?? 'asc').as('similarity')),
    )
    .where((eb) => eb.and(wanted))
}

/** The filters that concern more than one column. */
function conditions(filter: GroupFilter, viewer: Viewer): RawBuilder<boolean>[] {
  const { active, all_available, owned, top_level_only, repository_storage } = filter
  const when = (condition: boolean | undefined, test: RawBuilder<boolean>) => (condition ? [test] : [])
  return [
    ...when(owned, hasLevelInGroup('n', viewer, levels.owner)),
    ...when(top_level_only, sql<boolean>`n.parent_id is null`),
    ...when(active === true, sql<boolean>`not ${archivedIn('n')}`),
    ...when(active === false, archivedIn('n')),
    // Deletion hides a group at once, so none is only marked for it.
    ...when(filter.marked_for_deletion_on !== undefined, sql<boolean>`false`),
    ...when(all_available === false && viewer.id !== null, readsGroup('n', viewer)),
    ...when(viewer.admin && (repository_storage ?? 'default') !== 'default', sql<boolean>`false`),
  ]
}

/** Orders results by similarity to the search: the most similar first, whatever the direction. */
function likeness(search: string, sort: Sort): RawBuilder<number> {
  const start = `${search.replace(/[\\%_]/g, '\\$&')}%`
  const distance = sql`
    case when lower(n.path) = lower(${search}) or lower(n.name) = lower(${search}) then 0
      when n.path ilike ${start} or n.name ilike ${start} then 1000
      else 2000 end + char_length(n.name)`
  return sort === 'asc' ? sql<number>`(${distance})` : sql<number>`(-(${distance}))`
}

/** The groups to which a group was invited. */
export function sharedWith(groups: GroupQuery, groupId: number, today: string): GroupQuery {
  return groups.where(
    sql<boolean>`n.id = any(array(select s.namespace_id from shares s
      where s.group_id = ${groupId} and (s.expires_at is null or s.expires_at > ${today}::date)))`,
  )
}

/** The groups invited to a group: directly, or by `relation` to a group above it. */
export function invitedTo(
  groups: GroupQuery,
  { id, traversal_ids }: { readonly id: number; readonly traversal_ids: readonly number[] },
  today: string,
  relation: readonly string[] = ['direct', 'inherited'],
): GroupQuery {
  const above = traversal_ids.filter((node) => node !== id)
  const at = [...(relation.includes('direct') ? [id] : []), ...(relation.includes('inherited') ? above : [])]
  return groups.where(
    sql<boolean>`n.id = any(array(select s.group_id from shares s
      where s.namespace_id = any(${at}::bigint[]) and (s.expires_at is null or s.expires_at > ${today}::date)))`,
  )
}

/**
 * The groups to which the viewer can move a group: neither its present parent nor the group itself nor anything in it.
 */
export function locationsFor(
  groups: GroupQuery,
  { id, parent_id }: { readonly id: number; readonly parent_id: number | null },
  viewer: Viewer,
): GroupQuery {
  const mayMakeSubgroups = viewer.admin
    ? sql<boolean>`true`
    : sql<boolean>`case n.settings ->> 'subgroup_creation_level' when 'owner'
        then ${hasLevelInGroup('n', viewer, levels.owner)} else ${hasLevelInGroup('n', viewer, levels.maintainer)} end`
  return groups
    .where(sql<boolean>`not ${inSubtree('n', id)}`)
    .where('n.id', 'is distinct from', parent_id)
    .where(mayMakeSubgroups)
}

/** The groups to which the viewer can move a project; policy.ts has the same rule for one group. */
export function projectLocationsFor(
  groups: GroupQuery,
  { parent_id }: { readonly parent_id: number },
  viewer: Viewer,
): GroupQuery {
  const level = sql`coalesce(n.settings ->> 'project_creation_level', 'developer')`
  const mayMakeProjects = viewer.admin
    ? sql<boolean>`${level} <> 'noone'`
    : sql<boolean>`case ${level} when 'noone' then false when 'administrator' then false
        when 'owner' then ${hasLevelInGroup('n', viewer, levels.owner)}
        when 'maintainer' then ${hasLevelInGroup('n', viewer, levels.maintainer)}
        else ${hasLevelInGroup('n', viewer, levels.developer)} end`
  return groups
    .where('n.id', '<>', parent_id)
    .where(mayMakeProjects)
    .where(sql<boolean>`not ${archivedIn('n')}`)
}
