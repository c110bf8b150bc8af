import { type RawBuilder, sql } from 'kysely'
import { levels } from '#platform/access/roles.ts'
import { current, levelOf } from '#platform/access/visible.ts'

/**
 * The people whom a grant includes, stated once: for naming somebody in a grant, for deploying, and for counting approvals. So people who
 * are no longer eligible may no longer deploy, and their approvals no longer count.
 *
 * Statements have `protected_environments` as `pe`, and the namespace of the protecting project or group as `c`.
 */

/** The level that stands for administrators of the instance. */
const ADMINISTRATORS = 60

/** Whether the grantee of the grant with this alias still exists. Marking a grantee for deletion counts as deletion. */
export const isThere = (grant: string) => sql<boolean>`(
  not exists (select from users gone where gone.id = ${sql.ref(`${grant}.user_id`)} and gone.deleted_at is not null)
  and not exists (select from namespaces gone where gone.id = ${sql.ref(`${grant}.group_id`)}
    and gone.deleted_at is not null))`

/** Whether a grant may name a user: in a group one with the role Maintainer or above, in a project Reporter or above. */
export const mayBeNamed = (user: RawBuilder<number>, today: string) =>
  sql<boolean>`${levelOf('c', user, today)} >=
    case when pe.group_id is null then ${sql.lit(levels.reporter)} else ${sql.lit(levels.maintainer)} end`

/** Whether a grant may name a group, `near`: in a group its subgroups, in a project the groups above it and those invited to it or to them. */
export const isNear = (
  today: string,
) => sql<boolean>`(near.kind = 'group' and near.deleted_at is null and case
  when pe.group_id is not null then c.id = any(near.traversal_ids) and near.id <> c.id
  else near.id = any(c.traversal_ids) or exists (select from shares s
    where s.group_id = near.id and s.namespace_id = any(c.traversal_ids) and ${current('s', today)}) end)`

/** Whether the user `u` belongs to the group of a grant. */
const inGroup = (grant: string, today: string) => sql<boolean>`exists (
  select from namespaces near where near.id = ${sql.ref(`${grant}.group_id`)} and ${isNear(today)} and case
    when ${sql.ref(`${grant}.group_inheritance_type`)} = 1
      then ${levelOf('near', sql<number>`u.id`, today)} >= ${sql.lit(levels.guest)}
    else exists (select from members m where m.namespace_id = near.id and m.user_id = u.id
      and m.access_level >= ${sql.lit(levels.guest)} and ${current('m', today)}) end)`

/** Whether the grant with this alias includes the user `u`. Every grant includes administrators. */
export const means = (grant: string, today: string): RawBuilder<boolean> => {
  const of = (column: string) => sql.ref(`${grant}.${column}`)
  return sql<boolean>`(u.state = 'active' and (u.admin or case
    when ${of('user_id')} is not null then ${of('user_id')} = u.id and ${mayBeNamed(sql<number>`u.id`, today)}
    when ${of('group_id')} is not null then ${inGroup(grant, today)}
    when ${of('access_level')} < ${sql.lit(ADMINISTRATORS)}
      then ${levelOf('c', sql<number>`u.id`, today)} >= ${of('access_level')}
    else false end))`
}
