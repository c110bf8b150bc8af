import type { GroupContainer, ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { lockProtected, type ProtectedEnvironmentRow } from './rows.ts'

/** Ends a protection. @returns what it was. @throws 404 */
export async function unprotect(
  tx: Tx,
  container: ProjectContainer | GroupContainer,
  name: string,
): Promise<ProtectedEnvironmentRow> {
  const known = await lockProtected(tx, container, name, true)
  await tx.db.deleteFrom('protected_environments').where('id', '=', known.id).execute()
  record(tx, {
    name: 'environment unprotected',
    namespace: container.namespace_id,
    target: { type: 'ProtectedEnvironment', id: known.id },
    details: { name },
  })
  return known
}
