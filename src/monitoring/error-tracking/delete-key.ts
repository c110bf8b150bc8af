import type { ProjectContainer } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { lockKey } from './queries.ts'

/** Deletes a client key: what still reports with it is refused from now on. @throws 404 */
export async function deleteKey(
  tx: Tx,
  project: Pick<ProjectContainer, 'id' | 'namespace_id'>,
  keyId: number,
): Promise<void> {
  const { id, public_key } = await lockKey(tx, project.id, keyId)
  await tx.db.deleteFrom('error_tracking_keys').where('id', '=', id).execute()
  record(tx, {
    name: 'error tracking key deleted',
    namespace: project.namespace_id,
    target: { type: 'ErrorTracking::ClientKey', id },
    details: { public_key },
  })
}
