import { sql } from 'kysely'
import { levelOf } from '#platform/access/visible.ts'
import { levels } from '#platform/access/roles.ts'
import type { Db } from '#platform/db/pool.ts'
import type { ProtectedAction, ProtectedReferenceKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import type { ListOrder } from '#platform/http/order.ts'

/** Who may do something: everybody with a level, one user, or the members of a group. */
export interface Grantee {
  readonly access_level: number | null
  readonly user_id: number | null
  readonly group_id: number | null
}

/** That somebody may do something with protected branches or tags. */
export interface Grant extends Grantee {
  readonly id: number
  readonly action: ProtectedAction
  /** The name of the user or group. */
  readonly name: string | null
}

/** A protected name or pattern. */
export interface ProtectedReference {
  readonly id: number
  readonly name: string
  readonly allow_force_push: boolean
  readonly code_owner_approval_required: boolean
  readonly updated_at: string
  readonly grants: readonly Grant[]
}

const grants = sql<Grant[]>`(
  select coalesce(json_agg(json_build_object('id', g.id, 'action', g.action, 'access_level', g.access_level,
    'user_id', g.user_id, 'group_id', g.group_id, 'name', coalesce(u.name, n.name)) order by g.id), '[]')
  from protected_reference_grants g left join users u on u.id = g.user_id left join namespaces n on n.id = g.group_id
  where g.protected_reference_id = p.id)`

/** The protected branches or tags of a project. */
export const protectedReferences = (db: Db | Tx['db'], projectId: number, kind: ProtectedReferenceKind) =>
  db
    .selectFrom('protected_references as p')
    .select(['p.id', 'p.name', 'p.allow_force_push', 'p.code_owner_approval_required', 'p.updated_at'])
    .select(grants.as('grants'))
    .where('p.project_id', '=', projectId)
    .where('p.kind', '=', kind)

export const protectedOrder: ListOrder = {
  of: 'ProtectedBranch',
  id: 'p.id',
  columns: { name: { column: 'p.name' } },
  by: 'name',
  sort: 'asc',
}

/** Finds one by its exact name or pattern. @throws 404 */
export async function findProtected(
  db: Db | Tx['db'],
  projectId: number,
  kind: ProtectedReferenceKind,
  name: string,
): Promise<ProtectedReference> {
  return protectedReferences(db, projectId, kind)
    .where('p.name', '=', name)
    .executeTakeFirstOrThrow(() => notFound())
}

/** The same for a change: locked until the transaction ends. Undefined when the name is not protected. */
export async function lockIfProtected(
  tx: Tx,
  projectId: number,
  kind: ProtectedReferenceKind,
  name: string,
): Promise<ProtectedReference | undefined> {
  const locked = await tx.db
    .selectFrom('protected_references')
    .select('id')
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .where('name', '=', name)
    .forUpdate()
    .executeTakeFirst()
  return locked && findProtected(tx.db, projectId, kind, name)
}

/** The same. @throws 404 when the name is not protected */
export async function lockProtected(
  tx: Tx,
  projectId: number,
  kind: ProtectedReferenceKind,
  name: string,
): Promise<ProtectedReference> {
  return orNotFound(await lockIfProtected(tx, projectId, kind, name))
}

/** A name or pattern with what decides about somebody. */
export interface Protection {
  readonly id: number
  readonly name: string
  readonly allow_force_push: boolean
  readonly code_owner_approval_required: boolean
  readonly grants: readonly (Omit<Grant, 'name' | 'id'> & {
    /** Whether the person in question belongs to the group. */
    readonly in_group: boolean | null
  })[]
}

/** Everything that protects branches or tags of a project, as far as it is about one user: one statement. */
export async function protectionsOf(
  db: Db | Tx['db'],
  { projectId, kind, userId, today }: ProtectionQuery,
): Promise<Protection[]> {
  const isMember =
    userId === null
      ? sql`false`
      : sql`(select ${levelOf('n', sql<number>`${userId}::bigint`, today)} >= ${levels.developer}
          from namespaces n where n.id = g.group_id and n.deleted_at is null)`
  return db
    .selectFrom('protected_references as p')
    .select(['p.id', 'p.name', 'p.allow_force_push', 'p.code_owner_approval_required'])
    .select(
      sql<Protection['grants']>`(
        select coalesce(json_agg(json_build_object('action', g.action, 'access_level', g.access_level,
          'user_id', g.user_id, 'group_id', g.group_id,
          'in_group', case when g.group_id is not null then ${isMember} end) order by g.id), '[]')
        from protected_reference_grants g where g.protected_reference_id = p.id)`.as('grants'),
    )
    .where('p.project_id', '=', projectId)
    .where('p.kind', '=', kind)
    .execute()
}

export interface ProtectionQuery {
  readonly projectId: number
  readonly kind: ProtectedReferenceKind
  /** Whose memberships count for grants to groups; null for nobody's. */
  readonly userId: number | null
  /** `YYYY-MM-DD`. */
  readonly today: string
}
