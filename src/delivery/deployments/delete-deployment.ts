import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { refusal } from '#platform/refusals.ts'
import { lastDeployment, type LockedDeployment } from './queries.ts'

/**
 * Forgets a deployment.
 * @param namespace of the project
 * @param locked by `lockDeployment`, for deletion
 * @throws 400 while it runs, and for what is deployed at present
 */
export async function deleteDeployment(
  tx: Tx,
  namespace: number,
  { deployment: { id, iid, project_id, environment_id, status } }: LockedDeployment,
): Promise<void> {
  if (status === 'running') throw refusal('400 Cannot destroy running deployment')
  const last = await lastDeployment(tx.db, project_id, environment_id)
  if (last?.id === id) throw refusal('400 Deployment currently deployed to environment')
  await tx.db.deleteFrom('deployments').where('id', '=', id).execute()
  record(tx, {
    name: 'deployment deleted',
    namespace,
    target: { type: 'Deployment', id },
    details: { iid, environment_id },
  })
}
