import { sql } from 'kysely'
import type { GroupContainer, ProjectContainer } from '#platform/access/authorize.ts'
import type { EnvironmentGrantPurpose } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { dayOf } from '#platform/http/time.ts'
import { lockReferencedRows } from '#planning/noteables/items/lock-referred.ts'
import { isNear, mayBeNamed } from './meant.ts'
import { invalidGrant, type GrantRequest } from './wishes.ts'

/** A grantee of a new or changed grant. */
export interface NewGrantee {
  readonly purpose: EnvironmentGrantPurpose
  readonly grant: GrantRequest
}

/** Keeps users and groups, to which grants will refer, from being deleted until the transaction ends. */
export async function lockGrantees(
  tx: Tx,
  users: readonly number[],
  groups: readonly number[],
): Promise<void> {
  if (groups.length > 0) {
    await sql`select 1 from namespaces where id = any(${[...groups]}::bigint[])
      order by cardinality(traversal_ids), id for key share`.execute(tx.db)
  }
  await lockReferencedRows(tx, { users })
}

/**
 * Rule 1 of the specification: users of a group with the Maintainer role or above, and groups below it. For a project: users with
 * the Reporter role or above, and groups above it or invited to it.
 * @throws 400
 */
export async function assertMayBeNamed(
  tx: Tx,
  { kind, id, namespace_id }: ProjectContainer | GroupContainer,
  naming: readonly NewGrantee[],
): Promise<void> {
  const users = naming.flatMap(({ grant }) => grant.user_id ?? [])
  const groups = naming.flatMap(({ grant }) => grant.group_id ?? [])
  if (users.length + groups.length === 0) return
  const today = dayOf(tx.now)
  const { rows } = await sql<{ user_id: number | null; group_id: number | null }>`
    with pe as (select ${kind === 'group' ? id : null}::bigint as group_id)
    select u.id as user_id, null::bigint as group_id from users u, pe, namespaces c
      where u.id = any(${users}::bigint[]) and c.id = ${namespace_id} and u.deleted_at is null
        and ${mayBeNamed(sql<number>`u.id`, today)}
    union all
    select null, near.id from namespaces near, pe, namespaces c
      where near.id = any(${groups}::bigint[]) and c.id = ${namespace_id} and ${isNear(today)}`.execute(tx.db)
  for (const { purpose, grant } of naming) {
    const { user_id, group_id } = grant
    if (user_id !== null && !rows.some((row) => row.user_id === user_id)) {
      const what = kind === 'group' ? 'a Maintainer of the group' : 'a Reporter of the project, or above'
      throw invalidGrant(purpose, `user ${user_id} is not ${what}`)
    }
    if (group_id !== null && !rows.some((row) => row.group_id === group_id)) {
      const what =
        kind === 'group' ? 'not a subgroup of the group' : 'neither above the project nor invited to it'
      throw invalidGrant(purpose, `group ${group_id} is ${what}`)
    }
  }
}
