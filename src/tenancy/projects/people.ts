import type { TreePosition } from '#platform/access/containers.ts'
import { sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { current } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { groupsFor } from '#tenancy/groups/queries.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { allMembers, filterMembers, type MemberContainer } from '#tenancy/members/queries.ts'
import { userBasicColumns } from '#identity/users/basic.ts'

export const userOrder: ListOrder = {
  of: 'User',
  id: 'm.user_id',
  columns: { id: { column: 'm.user_id' } },
  by: 'id',
  sort: 'desc',
}

export const starrerOrder: ListOrder = {
  of: 'UserStar',
  id: 's.user_id',
  columns: { starred_since: { column: 's.created_at' } },
  by: 'starred_since',
  sort: 'desc',
}

/** Everybody with a role in a project, as `GET /projects/:id/members/all` has them. */
export function usersOf(
  db: Db,
  container: MemberContainer,
  viewer: Viewer,
  { search, skip_users }: PeopleFilter,
) {
  const chosen = { ...(search === undefined ? {} : { query: search }), ...(skip_users && { skip_users }) }
  return filterMembers(allMembers(db, container, viewer), chosen, viewer)
}

interface PeopleFilter {
  readonly search?: string
  readonly skip_users?: readonly number[]
}

/** The users who starred a project. Users with a private profile appear only to themselves. */
export function starrersOf(db: Db, projectId: number, viewer: Viewer, { search }: PeopleFilter) {
  return db
    .selectFrom('project_stars as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(userBasicColumns.map((column) => `u.${column}` as const))
    .select('s.created_at as starred_since')
    .where('s.project_id', '=', projectId)
    .where('u.state', '=', 'active')
    .where('u.deleted_at', 'is', null)
    .$if(!viewer.admin, (q) =>
      q.where((eb) => eb.or([eb('u.private_profile', '=', false), eb('u.id', '=', viewer.id ?? 0)])),
    )
    .$if(Boolean(search), (q) => q.where(contains(['u.name', 'u.username'], search ?? '')))
}

interface PeopleScope {
  readonly skip_groups?: readonly number[]
  readonly with_shared: boolean
  readonly shared_min_access_level?: number
}

/** The groups above a project and, on request, those invited to it. */
export function groupsAboveOrInvited(
  groups: ReturnType<typeof groupsFor>,
  { namespace_id, traversal_ids }: TreePosition,
  { today }: Viewer,
  { with_shared, shared_min_access_level = 0 }: PeopleScope,
) {
  const above = sql<boolean>`n.id = any(${[...traversal_ids]}::bigint[])`
  if (!with_shared) return groups.where(above)
  return groups.where(sql<boolean>`(${above} or n.id = any(array(select s.group_id from shares s
    where s.namespace_id = ${namespace_id} and s.access_level >= ${shared_min_access_level}
      and ${current('s', today)})))`)
}

/** Finds the invitation of a group to a project. */
export async function findShare(tx: Tx, { namespaceId, groupId }: { namespaceId: number; groupId: number }) {
  return tx.db
    .selectFrom('shares')
    .select(['id', 'group_id', 'access_level as group_access', 'expires_at'])
    .where('namespace_id', '=', namespaceId)
    .where('group_id', '=', groupId)
    .executeTakeFirstOrThrow()
}
