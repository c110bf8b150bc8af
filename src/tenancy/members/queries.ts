import type { TreePosition } from '#platform/access/containers.ts'
import { type RawBuilder, sql } from 'kysely'
import type { Viewer } from '#platform/access/viewer.ts'
import { current, decidingOnce, groupVisibleTo } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import { contains } from '#platform/db/search.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { type UserBasicRow, userBasicColumns, userBasicJson } from '#identity/users/basic.ts'
import type { MemberRow } from './entity.ts'

/** What has members: a group or a project. */
export interface MemberContainer extends TreePosition {
  readonly parent_id: number | null
}

export const memberOrder: ListOrder = {
  of: 'Member',
  id: 'm.id',
  columns: { id: { column: 'm.id' } },
  by: 'id',
  sort: 'asc',
  statements: new StatementCache({ name: 'members', max: 16 }),
}

export interface Membership {
  id: number
  user_id: number
  access_level: number
  expires_at: string | null
  created_by_id: number | null
  created_at: string
}

const columns = sql`m.id, m.user_id, m.expires_at, m.created_by_id, m.created_at`

/** The direct members of a group or project. */
export function directMembers(db: Db | Tx['db'], { namespace_id }: MemberContainer, { today }: Viewer) {
  return membersIn(
    db,
    sql`select m.access_level, ${columns} from members m
      where m.namespace_id = ${namespace_id} and ${current('m', today)}`,
  )
}

/**
 * Everybody with a level in a container: members of it and of all above it, and members of the groups invited to one of
 * these, as far as the viewer may see those groups. Each user appears once, with the highest level.
 */
export function allMembers(db: Db | Tx['db'], container: MemberContainer, viewer: Viewer) {
  const { namespace_id, traversal_ids } = container
  const path = sql`${[...traversal_ids]}::bigint[]`
  return membersIn(
    db,
    sql`select distinct on (m.user_id) m.access_level, ${columns} from (
        select m.access_level, m.namespace_id = ${namespace_id} as direct, ${columns} from members m
          where m.namespace_id = any(${path}) and ${current('m', viewer.today)}
        union all
        select least(m.access_level, s.access_level), false, ${columns} from shares s
          join namespaces g on g.id = s.group_id
          join members m on m.namespace_id = any(g.traversal_ids)
          where s.namespace_id = any(${path}) and ${decidingOnce(viewer, (once) => groupVisibleTo('g', once))}
            and ${current('s', viewer.today)} and ${current('m', viewer.today)}
      ) m order by m.user_id, m.access_level desc, m.direct desc, m.id`,
  )
}

/** People are looked up one by one: with others to choose from, PostgreSQL may read all of them in their order. */
function membersIn(db: Db | Tx['db'], memberships: RawBuilder<unknown>) {
  return db
    .selectFrom(sql<Membership>`(${memberships})`.as('m'))
    .innerJoinLateral(
      (eb) =>
        eb
          .selectFrom('users as p')
          .select(userBasicColumns.map((column) => `p.${column}` as const))
          .select(['p.kind', 'p.email'])
          .whereRef('p.id', '=', 'm.user_id')
          .offset(sql.lit(0))
          .as('u'),
      (join) => join.onTrue(),
    )
    .select(userBasicColumns.map((column) => `u.${column}` as const))
    .select(['u.kind', 'u.email', 'm.access_level', 'm.expires_at', 'm.created_at as member_since'])
    .select(
      sql<UserBasicRow | null>`(
        select ${userBasicJson('c')} from users c where c.id = m.created_by_id and c.deleted_at is null)`.as(
        'creator',
      ),
    )
}

type MemberQuery = ReturnType<typeof membersIn>

export interface MemberFilter {
  readonly query?: string
  readonly user_ids?: readonly number[]
  readonly skip_users?: readonly number[]
  readonly state?: 'awaiting' | 'active'
}

/** Narrows a list of members; only administrators can search e-mail addresses. */
export function filterMembers(members: MemberQuery, filter: MemberFilter, viewer: Viewer): MemberQuery {
  const { query = '', user_ids, skip_users, state } = filter
  const searched = viewer.admin ? ['u.name', 'u.username', 'u.email'] : ['u.name', 'u.username']
  const ids = (given: readonly number[]) => sql`${[...given]}::bigint[]`
  return (
    members
      .$if(query !== '', (q) => q.where(contains(searched, query)))
      .$if(user_ids !== undefined, (q) => q.where(sql<boolean>`m.user_id = any(${ids(user_ids ?? [])})`))
      .$if(skip_users !== undefined, (q) => q.where(sql<boolean>`m.user_id <> all(${ids(skip_users ?? [])})`))
      // No memberships await anything yet: invitations come later.
      .$if(state === 'awaiting', (q) => q.where(sql<boolean>`false`))
  )
}

/** @throws 404 when the user is not among them. */
export async function findMember(members: MemberQuery, userId: number): Promise<MemberRow> {
  return members.where('m.user_id', '=', userId).executeTakeFirstOrThrow(() => notFound())
}
