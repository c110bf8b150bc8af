import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden } from '#platform/http/errors.ts'
import type { EnvironmentRow } from './entity.ts'

/**
 * Deletes an environment with its deployments.
 * @param environment locked by `lockEnvironment`, for deletion
 * @throws 403 unless it is stopped
 */
export async function deleteEnvironment(
  tx: Tx,
  namespace: number,
  { id, name, state }: EnvironmentRow,
): Promise<void> {
  if (state !== 'stopped') throw forbidden('stop the environment first')
  await tx.db.deleteFrom('environments').where('id', '=', id).execute()
  record(tx, {
    name: 'environment deleted',
    namespace,
    target: { type: 'Environment', id },
    details: { environment: name },
  })
}
