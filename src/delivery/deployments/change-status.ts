import type { DeploymentStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid } from '#platform/refusals.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import type { EnvironmentRow } from '../environments/entity.ts'
import { startEnvironment } from '../environments/start-environment.ts'
import type { DeploymentRow } from './entity.ts'
import { linkMergeRequests } from './link-merge-requests.ts'
import type { LockedDeployment } from './queries.ts'

/** What leads to a status, as refusals name it. */
const events: Readonly<Record<DeploymentStatus, string>> = {
  created: 'create',
  running: 'run',
  success: 'succeed',
  failed: 'drop',
  canceled: 'cancel',
  skipped: 'skip',
  blocked: 'block',
}

/** With these a deployment has ended. */
const ended: ReadonlySet<DeploymentStatus> = new Set(['success', 'failed', 'canceled'])

/** Whether a deployment may go from one status to another. What waits for approval can only be given up, or approved. */
function isAllowed(from: DeploymentStatus, to: DeploymentStatus): boolean {
  if (from === to) return false
  if (to === 'running') return from === 'created'
  if (to === 'created') return from === 'blocked'
  if (from === 'blocked') return to === 'failed' || to === 'canceled'
  return ended.has(to)
}

/** When a deployment ended that has this status now; null while it has not. */
export const endOf = (tx: Tx, status: DeploymentStatus): string | null => (ended.has(status) ? tx.now : null)

/**
 * Gives a deployment another status, with what follows from it.
 * @param namespace of the project
 * @param locked by `lockDeployment`, in this transaction
 * @throws 400 where the present status does not lead to the other
 */
export async function changeStatus(
  tx: Tx,
  namespace: number,
  { deployment, environment }: LockedDeployment,
  to: DeploymentStatus,
): Promise<void> {
  const { id, iid, environment_id, status: from } = deployment
  if (!isAllowed(from, to)) throw invalid({ status: [`cannot transition via "${events[to]}"`] })
  await tx.db
    .updateTable('deployments')
    .set({ status: to, updated_at: tx.now, finished_at: endOf(tx, to) ?? deployment.finished_at })
    .where('id', '=', id)
    .execute()
  if (to === 'success') await followSuccess(tx, namespace, deployment, environment)
  record(tx, {
    name: 'deployment status changed',
    namespace,
    target: { type: 'Deployment', id },
    details: { iid, environment_id, from, to },
  })
}

/** Opens the environment, and finds in the background what came there with the deployment. */
export async function followSuccess(
  tx: Tx,
  namespace: number,
  { id }: Pick<DeploymentRow, 'id'>,
  environment: EnvironmentRow,
): Promise<void> {
  await startEnvironment(tx, namespace, environment)
  if (showsMergeRequests(environment)) await enqueue(tx, linkMergeRequests, { deployment_id: id })
}

/** Review apps and the like get many deployments of the same merge requests. */
const showsMergeRequests = ({ name, tier }: EnvironmentRow): boolean =>
  !name.includes('/') || tier === 'production' || tier === 'staging'
