import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { ProtectedAction } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { changesBetween } from '#platform/facts/changes.ts'
import { record } from '#platform/facts/record.ts'
import { titleOf } from './entity.ts'
import { assertGrantees, type GranteeChange, type NewGrant, readGrantee, invalidGrantee } from './grantees.ts'
import { insertGrants } from './protect.ts'
import { findProtected, type ProtectedReference } from './rows.ts'

export interface ProtectionChanges {
  readonly allow_force_push?: boolean
  readonly code_owner_approval_required?: boolean
  readonly grantees: Readonly<Partial<Record<ProtectedAction, readonly GranteeChange[]>>>
}

/**
 * Changes who may do what with a protected branch.
 * @param known locked by `lockProtected`.
 * @throws 400 for grants that are not of this branch, and for users and groups that have no access to the project.
 */
export async function updateProtection(
  tx: Tx,
  project: ProjectContainer,
  known: ProtectedReference,
  { grantees, ...flags }: ProtectionChanges,
): Promise<ProtectedReference> {
  const { added, removed } = changesOfGrants(known, grantees)
  await assertGrantees(tx, project, added)
  if (removed.length > 0) {
    await tx.db
      .deleteFrom('protected_reference_grants')
      .where('protected_reference_id', '=', known.id)
      .where((eb) => eb('id', '=', eb.fn.any(eb.val(removed))))
      .execute()
  }
  await insertGrants(tx, known.id, added)
  await tx.db
    .updateTable('protected_references')
    .set({ ...flags, updated_at: tx.now })
    .where('id', '=', known.id)
    .execute()
  const changed = await findProtected(tx.db, project.id, 'branch', known.name)
  const changes = changesBetween(toTell(known), toTell(changed))
  if (Object.keys(changes).length > 0) {
    record(tx, {
      name: 'branch protection changed',
      namespace: project.namespace_id,
      target: { type: 'ProtectedBranch', id: known.id },
      details: { name: known.name, fields: Object.keys(changes), changes },
    })
  }
  return changed
}

/** A changed grant is removed and made anew. */
function changesOfGrants(
  { grants }: ProtectedReference,
  grantees: ProtectionChanges['grantees'],
): { readonly added: NewGrant[]; readonly removed: number[] } {
  const added: NewGrant[] = []
  const removed: number[] = []
  for (const action of ['push', 'merge', 'unprotect'] as const) {
    for (const { id, _destroy = false, ...named } of grantees[action] ?? []) {
      if (id !== undefined) {
        if (!grants.some((grant) => grant.id === id && grant.action === action)) {
          throw invalidGrantee(action, `${id} is not one of them`)
        }
        removed.push(id)
      }
      if (!_destroy) added.push(readGrantee(action, named))
    }
  }
  return { added, removed }
}

/** What the audit compares. */
function toTell({ allow_force_push, code_owner_approval_required, grants }: ProtectedReference) {
  const who = (action: ProtectedAction) =>
    grants
      .filter((grant) => grant.action === action)
      .map(titleOf)
      .join(', ')
  return {
    allow_force_push,
    code_owner_approval_required,
    push_access_levels: who('push'),
    merge_access_levels: who('merge'),
    unprotect_access_levels: who('unprotect'),
  }
}
