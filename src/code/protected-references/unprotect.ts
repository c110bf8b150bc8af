import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { ProtectedReferenceKind } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import type { ProtectedReference } from './rows.ts'

/**
 * Ends a protection.
 * @param known locked by `lockProtected`.
 */
export async function unprotect(
  tx: Tx,
  { namespace_id: namespace }: Pick<ProjectContainer, 'namespace_id'>,
  kind: ProtectedReferenceKind,
  { id, name }: ProtectedReference,
): Promise<void> {
  await tx.db.deleteFrom('protected_references').where('id', '=', id).execute()
  const details = { name }
  if (kind === 'branch') {
    record(tx, { name: 'branch unprotected', namespace, target: { type: 'ProtectedBranch', id }, details })
  } else {
    record(tx, { name: 'tag unprotected', namespace, target: { type: 'ProtectedTag', id }, details })
  }
}
