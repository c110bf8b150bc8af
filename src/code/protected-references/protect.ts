import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { ProtectedReferenceKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { isMisleading, MISLEADING } from '#platform/misleading.ts'
import { conflict, invalid } from '#platform/refusals.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { inWords } from './entity.ts'
import { assertGrantees, type NewGrant } from './grantees.ts'
import { findProtected, type ProtectedReference } from './rows.ts'

export interface NewProtection {
  readonly kind: ProtectedReferenceKind
  readonly name: string
  readonly allow_force_push?: boolean
  readonly code_owner_approval_required?: boolean
  readonly grants: readonly NewGrant[]
}

/** Each branch of a list is compared with each name, on the server's thread. */
const MOST_NAMES = 1_000
const MOST_WILDCARDS = 10

/**
 * Protects the branches or tags that a name or pattern means.
 * @throws 409 when it is protected already, 400 for a name that misleads people or has too many wildcards, for one name too many, and for users and groups that have no access to the project.
 */
export async function protect(
  tx: Tx,
  project: ProjectContainer,
  wanted: NewProtection,
): Promise<ProtectedReference> {
  const { kind, name, grants } = wanted
  if (isMisleading(name)) throw invalid({ name: [MISLEADING] })
  if (name.split('*').length > MOST_WILDCARDS + 1)
    throw invalid({ name: [`must not have more than ${MOST_WILDCARDS} wildcards`] })
  await lockParent(tx, project.namespace_id)
  await assertFew(tx, project.id, kind)
  await assertGrantees(tx, project, grants)
  if (!(await insertProtection(tx, project.id, wanted))) {
    throw conflict(`Protected ${kind} '${name}' already exists`)
  }
  const made = await findProtected(tx.db, project.id, kind, name)
  recordProtected(tx, project.namespace_id, kind, made)
  return made
}

async function assertFew(tx: Tx, projectId: number, kind: ProtectedReferenceKind): Promise<void> {
  const rows = await tx.db
    .selectFrom('protected_references')
    .select('id')
    .where('project_id', '=', projectId)
    .where('kind', '=', kind)
    .limit(MOST_NAMES)
    .execute()
  if (rows.length === MOST_NAMES) throw invalid({ base: [`${MOST_NAMES} names are protected already`] })
}

/** @returns whether it was not protected before */
export async function insertProtection(
  tx: Tx,
  projectId: number,
  { kind, name, grants, ...flags }: NewProtection,
): Promise<boolean> {
  const made = await tx.db
    .insertInto('protected_references')
    .values({ ...flags, project_id: projectId, kind, name, created_at: tx.now, updated_at: tx.now })
    .onConflict((oc) => oc.constraint('protected_references_name_key').doNothing())
    .returning('id')
    .executeTakeFirst()
  if (made === undefined) return false
  await insertGrants(tx, made.id, grants)
  return true
}

export async function insertGrants(tx: Tx, id: number, grants: readonly NewGrant[]): Promise<void> {
  if (grants.length === 0) return
  await tx.db
    .insertInto('protected_reference_grants')
    .values(grants.map((grant) => ({ ...grant, protected_reference_id: id })))
    .execute()
}

/** Records that somebody, or the program itself for a new default branch, has protected something. */
export function recordProtected(
  tx: Tx,
  namespace: number,
  kind: ProtectedReferenceKind,
  made: ProtectedReference,
): void {
  const details = { name: made.name, allowed: inWords(made) }
  if (kind === 'branch') {
    const target = { type: 'ProtectedBranch', id: made.id }
    record(tx, { name: 'branch protected', namespace, target, details })
  } else {
    const target = { type: 'ProtectedTag', id: made.id }
    record(tx, { name: 'tag protected', namespace, target, details })
  }
}
