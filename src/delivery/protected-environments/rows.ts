import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { EnvironmentGrantPurpose } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { isThere } from './meant.ts'

/** Everybody with a level, one user, or the members of a group: exactly one of the three. */
export interface Grantee {
  readonly access_level: number | null
  readonly user_id: number | null
  readonly group_id: number | null
}

/** What a grant says, whoever it is about. */
export interface GrantValues extends Grantee {
  /** 1 when members of groups above the group count, too. */
  readonly group_inheritance_type: number
  /** How many of them must approve; null for those who may deploy. */
  readonly required_approvals: number | null
}

/** That somebody may deploy, or must approve. */
export interface Grant extends GrantValues {
  readonly id: number
  readonly purpose: EnvironmentGrantPurpose
  /** The name of the user or group. */
  readonly name: string | null
}

/** A protected environment of a project, or a protected tier of a group. */
export interface ProtectedEnvironmentRow {
  readonly id: number
  readonly name: string
  readonly required_approval_count: number
  readonly updated_at: string
  /** In their order. */
  readonly grants: readonly Grant[]
}

/** Which of the two levels protects. */
export interface Protector {
  readonly kind: 'project' | 'group'
  readonly id: number
}

const grants = sql<Grant[]>`(
  select coalesce(json_agg(json_build_object('id', e.id, 'purpose', e.purpose, 'access_level', e.access_level,
    'user_id', e.user_id, 'group_id', e.group_id, 'group_inheritance_type', e.group_inheritance_type,
    'required_approvals', e.required_approvals, 'name', coalesce(u.name, n.name)) order by e.position, e.id), '[]')
  from protected_environment_grants e left join users u on u.id = e.user_id left join namespaces n on n.id = e.group_id
  where e.protected_environment_id = pe.id and ${isThere('e')})`

/** What a project or group protects. */
export function protectedEnvironments(db: Db | Tx['db'], { kind, id }: Protector) {
  return db
    .selectFrom('protected_environments as pe')
    .select(['pe.id', 'pe.name', 'pe.required_approval_count', 'pe.updated_at'])
    .select(grants.as('grants'))
    .where(kind === 'project' ? 'pe.project_id' : 'pe.group_id', '=', id)
}

export const protectedEnvironmentOrder: ListOrder = {
  of: 'ProtectedEnvironment',
  id: 'pe.id',
  columns: { name: { column: 'pe.name' } },
  by: 'name',
  sort: 'asc',
}

/** @throws 404 when the name is not protected */
export async function findProtected(
  db: Db | Tx['db'],
  protector: Protector,
  name: string,
): Promise<ProtectedEnvironmentRow> {
  return protectedEnvironments(db, protector)
    .where('pe.name', '=', name)
    .executeTakeFirstOrThrow(() => notFound())
}

/** The same for a change or, with `forDeletion`, a deletion: locked until the transaction ends. @throws 404 */
export async function lockProtected(
  tx: Tx,
  protector: Protector,
  name: string,
  forDeletion = false,
): Promise<ProtectedEnvironmentRow> {
  const row = tx.db
    .selectFrom('protected_environments')
    .select('id')
    .where(protector.kind === 'project' ? 'project_id' : 'group_id', '=', protector.id)
    .where('name', '=', name)
  await (forDeletion ? row.forUpdate() : row.forNoKeyUpdate()).executeTakeFirstOrThrow(() => notFound())
  return findProtected(tx.db, protector, name)
}
