import { sql } from 'kysely'
import type { ProjectContainer } from '#platform/access/authorize.ts'
import { levels } from '#platform/access/roles.ts'
import { levelOf } from '#platform/access/visible.ts'
import type { ProtectedAction } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { invalid } from '#platform/refusals.ts'
import { dayOf } from '#platform/http/time.ts'
import type { Grantee } from './rows.ts'

/** Whom a request names: exactly one of a level, a user and a group. */
export interface RequestedGrantee {
  readonly access_level?: number
  readonly user_id?: number
  readonly group_id?: number
}

/** A new grantee; or a change, or the removal, of the one with this id. */
export interface GranteeChange extends RequestedGrantee {
  readonly id?: number
  readonly _destroy?: boolean
}

/** Somebody, and what they may do. */
export interface NewGrant extends Grantee {
  readonly action: ProtectedAction
}

/** Whether a request names a user or a group, which takes a plan. */
export const namesPeople = (grantees: readonly RequestedGrantee[]): boolean =>
  grantees.some(({ user_id, group_id }) => user_id !== undefined || group_id !== undefined)

/** @throws 400 unless exactly one of them is named */
export function readGrantee(
  action: ProtectedAction,
  { access_level, user_id, group_id }: RequestedGrantee,
): NewGrant {
  if ([access_level, user_id, group_id].filter((value) => value !== undefined).length !== 1) {
    throw invalidGrantee(action, 'must have exactly one of access_level, user_id and group_id')
  }
  return {
    action,
    access_level: access_level ?? null,
    user_id: user_id ?? null,
    group_id: group_id ?? null,
  }
}

/** Users must be able to push to the project, and groups be above it or invited to it. @throws 400 */
export async function assertGrantees(
  tx: Tx,
  { traversal_ids: path }: Pick<ProjectContainer, 'traversal_ids'>,
  grants: readonly NewGrant[],
): Promise<void> {
  const users = grants.flatMap(({ user_id }) => user_id ?? [])
  const groups = grants.flatMap(({ group_id }) => group_id ?? [])
  if (users.length + groups.length === 0) return
  const today = dayOf(tx.now)
  const { rows } = await sql<{ user_id: number | null; group_id: number | null }>`
    select u.id as user_id, null::bigint as group_id from users u, namespaces n
      where u.id = any(${users}) and n.id = ${path.at(-1)} and (u.admin or
        ${levelOf('n', sql<number>`u.id`, today)} >= ${levels.developer})
    union all
    select null, g.id from namespaces g
      where g.id = any(${groups}) and g.kind = 'group' and g.deleted_at is null and (g.id = any(${path}) or exists (
        select from shares s where s.group_id = g.id and s.namespace_id = any(${path})))`.execute(tx.db)
  for (const { action, user_id, group_id } of grants) {
    if (user_id !== null && !rows.some((row) => row.user_id === user_id)) {
      throw invalidGrantee(action, `user ${user_id} may not push to the project`)
    }
    if (group_id !== null && !rows.some((row) => row.group_id === group_id)) {
      throw invalidGrantee(action, `group ${group_id} has no access to the project`)
    }
  }
}

export const invalidGrantee = (action: ProtectedAction, text: string) =>
  invalid({ [`allowed_to_${action}`]: [text] })
