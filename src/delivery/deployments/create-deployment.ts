import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { assertMayDeploy } from '../environments/assert-may-deploy.ts'
import { ensureEnvironment } from '../environments/create-environment.ts'
import type { GateCaller } from '../protected-environments/gate.ts'
import { endOf, followSuccess } from './change-status.ts'
import type { SettableStatus } from './parameters.ts'

export interface NewDeployment {
  /** The name of the environment. */
  readonly environment: string
  /** The whole id of a commit of the project. */
  readonly sha: string
  readonly ref: string
  readonly tag: boolean
  /** `created` for one that has not begun. */
  readonly status: SettableStatus | 'created'
}

/**
 * Records that something is deployed, or was. Makes the environment unless it is there. Where approval is needed, the
 * deployment waits for it, whatever status was asked for.
 * @returns its id
 * @throws 403 for those who may not deploy there, 400 for a name that no environment can have
 */
export async function createDeployment(
  tx: Tx,
  caller: GateCaller,
  { environment: name, status: asked, ...wanted }: NewDeployment,
): Promise<number> {
  const project = caller.project.container
  const environment = await ensureEnvironment(tx, project, name)
  const needsApproval = await assertMayDeploy(tx, caller, environment)
  const waits = needsApproval && asked !== 'failed' && asked !== 'canceled'
  const status = waits ? 'blocked' : asked
  const iid = await nextIid(tx, project.namespace_id, 'deployment')
  const made = await tx.db
    .insertInto('deployments')
    .values({
      ...wanted,
      project_id: project.id,
      environment_id: environment.id,
      iid,
      status,
      user_id: tx.author?.id ?? null,
      created_at: tx.now,
      updated_at: tx.now,
      finished_at: endOf(tx, status),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  if (status === 'success') await followSuccess(tx, project.namespace_id, made, environment)
  record(tx, {
    name: 'deployment created',
    namespace: project.namespace_id,
    target: { type: 'Deployment', id: made.id },
    details: { iid, environment_id: environment.id, status },
  })
  return made.id
}
