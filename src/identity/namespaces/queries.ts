import { sql } from 'kysely'
import { keyOf } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { groupVisibleTo, hasLevel, visibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { avatarOfNamespace, type NamespaceCounts, type NamespaceRow } from './entity.ts'

export const namespaceOrder: ListOrder = {
  of: 'Namespace',
  id: 'n.id',
  columns: { id: { column: 'n.id' } },
  by: 'id',
  sort: 'asc',
}

/** Namespaces of users and groups; `administers` says whether the viewer owns each. */
function namespaces(db: Db | Tx['db'], viewer: Viewer) {
  const owns = viewer.admin
    ? sql<boolean>`true`
    : sql<boolean>`(n.owner_id is not distinct from ${viewer.id} or ${hasLevel('n', viewer, levels.owner)})`
  return db
    .selectFrom('namespaces as n')
    .select(['n.id', 'n.name', 'n.path', 'n.kind', 'n.full_path', 'n.parent_id', 'n.owner_id'])
    .select([avatarOfNamespace('n').as('avatar'), owns.as('administers')])
    .where('n.kind', '<>', 'project')
    .where('n.deleted_at', 'is', null)
}

export interface NamespaceFilter {
  readonly search?: string
  readonly owned_only: boolean
  readonly top_level_only: boolean
  readonly full_path_search: boolean
}

/** The viewer's own namespace and the groups of which they are a member; for administrators all namespaces. */
export function namespacesFor(db: Db, viewer: Viewer, filter: NamespaceFilter) {
  const { search = '', owned_only, top_level_only, full_path_search } = filter
  const least = owned_only ? levels.owner : levels.guest
  const groups = sql`n.kind = 'group' and ${hasLevel('n', viewer, least)} and ${visibleTo('n', viewer)}`
  const own = sql<boolean>`(n.owner_id = ${viewer.id} or (${groups}))`
  const searched = full_path_search ? ['n.name', 'n.path', 'n.full_path'] : ['n.name', 'n.path']
  return namespaces(db, viewer)
    .$if(!viewer.admin || owned_only, (q) => q.where(own))
    .$if(top_level_only, (q) => q.where('n.parent_id', 'is', null))
    .$if(search !== '', (q) => q.where(contains(searched, search)))
}

/**
 * Finds a namespace by id or path: a group that the viewer may see, or the viewer's own.
 * @throws 404 `Namespace Not Found`
 */
export async function findNamespace(
  db: Db | Tx['db'],
  viewer: Viewer,
  idOrPath: string,
): Promise<NamespaceRow> {
  const key = keyOf(idOrPath)
  return namespaces(db, viewer)
    .where(
      'id' in key
        ? sql<boolean>`n.id = ${key.id}`
        : sql<boolean>`lower(n.full_path) = ${key.path.toLowerCase()}`,
    )
    .$if(!viewer.admin, (q) =>
      q.where(sql<boolean>`(n.owner_id is not distinct from ${viewer.id}
        or (n.kind = 'group' and ${groupVisibleTo('n', viewer)}))`),
    )
    .executeTakeFirstOrThrow(() => notFound('Namespace'))
}

/** Counts the people, the projects and the bytes of their repositories in each of these at any depth, in one statement. */
export async function countsIn(
  db: Db | Tx['db'],
  ids: readonly number[],
  today: string,
): Promise<Map<number, NamespaceCounts>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<NamespaceCounts & { id: number }>`
    select n.id,
      (select count(distinct m.user_id) from members m
        where m.namespace_id = any(array(
            select b.id from namespaces b where b.traversal_ids @> array[n.id] and b.deleted_at is null))
          and (m.expires_at is null or m.expires_at > ${today}::date))
        as members, below.projects, below.size
    from namespaces n cross join lateral (
      select count(*) as projects, coalesce(sum(r.size), 0)::bigint as size
      from namespaces b left join projects p on p.project_namespace_id = b.id
        left join repositories r on r.project_id = p.id and r.kind = 'project'
      where b.traversal_ids @> array[n.id] and b.kind = 'project' and b.deleted_at is null) as below
    where n.id = any(${[...ids]}::bigint[])`.execute(db)
  return new Map(rows.map(({ id, ...counts }) => [id, counts]))
}

/** Whether a full path is taken, and a similar free one. */
export async function pathInUse(db: Db, parentPath: string | null, path: string) {
  const full = (name: string) => (parentPath === null ? name : `${parentPath}/${name}`).toLowerCase()
  const { rows } = await sql<{ exists: boolean; free: string | null }>`
    select exists (select 1 from namespaces where lower(full_path) = ${full(path)}) as exists,
      (select ${path}::text || i from generate_series(1, 10000) as i
        where not exists (select 1 from namespaces where lower(full_path) = ${full(path)}::text || i)
        limit 1) as free`.execute(db)
  return rows[0] ?? { exists: false, free: null }
}
