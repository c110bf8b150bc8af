import { sql } from 'kysely'
import { levels } from '#access/roles.ts'
import type { Viewer } from '#access/viewer.ts'
import { current } from '#access/visible.ts'
import type { Db } from '#db/pool.ts'
import { contains } from '#db/search.ts'
import type { Tx } from '#db/transaction.ts'
import type { groupsFor } from '#groups/queries.ts'
import type { ListOrder } from '#http/order.ts'
import { userBasicColumns } from '#users/basic.ts'

type Place = { readonly namespace_id: number; readonly traversal_ids: readonly number[] }

export const userOrder: ListOrder = {
  of: 'User',
  id: 'u.id',
  columns: { id: { column: 'u.id' } },
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

interface Chosen {
  readonly search?: string
  readonly skip_users?: readonly number[]
}

/** Everybody with a role in a project: members there and above, and of groups invited there or above. */
export function usersOf(db: Db, { traversal_ids }: Place, viewer: Viewer, { search, skip_users }: Chosen) {
  const path = [...traversal_ids]
  const members = sql<number>`(
    select m.user_id from members m
      where m.namespace_id = any(${path}::bigint[]) and m.access_level >= ${levels.guest}
        and ${current('m', viewer.today)}
    union
    select m.user_id from shares s
      join namespaces g on g.id = s.group_id and g.deleted_at is null
      join members m on m.namespace_id = any(g.traversal_ids)
      where s.namespace_id = any(${path}::bigint[]) and m.access_level >= ${levels.guest}
        and ${current('m', viewer.today)} and ${current('s', viewer.today)})`
  return db
    .selectFrom('users as u')
    .select(userBasicColumns.map((column) => `u.${column}` as const))
    .where('u.id', 'in', members)
    .$if(Boolean(search), (q) => q.where(contains(['u.name', 'u.username'], search ?? '')))
    .$if(Boolean(skip_users?.length), (q) =>
      q.where(sql<boolean>`u.id <> all(${[...(skip_users ?? [])]}::bigint[])`),
    )
}

/** Who starred a project: of people with a private profile, only the viewer. */
export function starrersOf(db: Db, projectId: number, viewer: Viewer, { search }: Chosen) {
  return db
    .selectFrom('project_stars as s')
    .innerJoin('users as u', 'u.id', 's.user_id')
    .select(userBasicColumns.map((column) => `u.${column}` as const))
    .select('s.created_at as starred_since')
    .where('s.project_id', '=', projectId)
    .where('u.state', '=', 'active')
    .$if(!viewer.admin, (q) =>
      q.where((eb) => eb.or([eb('u.private_profile', '=', false), eb('u.id', '=', viewer.id ?? 0)])),
    )
    .$if(Boolean(search), (q) => q.where(contains(['u.name', 'u.username'], search ?? '')))
}

interface Around {
  readonly skip_groups?: readonly number[]
  readonly with_shared: boolean
  readonly shared_min_access_level?: number
}

/** The groups above a project and, as asked, those invited to it. */
export function groupsAround(
  groups: ReturnType<typeof groupsFor>,
  { namespace_id, traversal_ids }: Place,
  { today }: Viewer,
  { with_shared, shared_min_access_level = 0 }: Around,
) {
  const above = sql<boolean>`n.id = any(${[...traversal_ids]}::bigint[])`
  if (!with_shared) return groups.where(above)
  return groups.where(sql<boolean>`(${above} or n.id = any(array(select s.group_id from shares s
    where s.namespace_id = ${namespace_id} and s.access_level >= ${shared_min_access_level}
      and ${current('s', today)})))`)
}

/** The invitation of a group to a project. */
export async function findShare(tx: Tx, { namespaceId, groupId }: { namespaceId: number; groupId: number }) {
  const share = await tx.db
    .selectFrom('shares')
    .select(['id', 'group_id', 'access_level as group_access', 'expires_at'])
    .where('namespace_id', '=', namespaceId)
    .where('group_id', '=', groupId)
    .executeTakeFirstOrThrow()
  return { ...share, member_role_id: null }
}
