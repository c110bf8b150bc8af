import { createDeployment } from '#delivery/deployments/create-deployment.ts'
import { assertMayDeploy } from '#delivery/environments/assert-may-deploy.ts'
import { ensureEnvironment } from '#delivery/environments/create-environment.ts'
import type { GateCaller } from '#delivery/protected-environments/gate.ts'
import { authorizeIfAllowed, viewerOfUser } from '#platform/access/act-for.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { NotAllowed, Refusal, isPassing } from '#platform/refusals.ts'
import type { JobEnvironment } from '../config/configuration.ts'
import { changeJob } from '../jobs/finish-job.ts'
import type { PreparedJob } from './prepared-job.ts'

/**
 * Makes the deployment of a job with the rights of the person who started it. A job whose environment waits for approvals becomes
 * manual; one whose person may not deploy there fails.
 */
export async function prepareDeployment(context: JobContext, job: PreparedJob): Promise<void> {
  const { db, clock, transact } = context
  const { environment } = job.definition
  const viewer = job.user_id === null ? undefined : await viewerOfUser({ db, clock }, job.user_id, null)
  const project = viewer && (await authorizeIfAllowed(db, viewer, job.project_id, 'create_deployment'))
  const author = await authorOf(context, job.user_id)
  if (environment === undefined || viewer === undefined || project === undefined || author === undefined) {
    await fail(context, job, 'protected_environment_failure')
    return
  }
  const caller: GateCaller = { viewer, project, services: context }
  try {
    await transact(async (tx) => {
      const { deployment, waits } = await placeOf(tx, caller, job, environment)
      await changeJob(tx, job.id, ({ status }) =>
        status === 'preparing' ? { status: waits ? 'manual' : 'pending' } : undefined,
      )
      if (deployment !== null)
        await tx.db
          .updateTable('ci_jobs')
          .set({ deployment_id: deployment })
          .where('id', '=', job.id)
          .execute()
    }, author)
  } catch (error) {
    if (!(error instanceof Refusal) || isPassing(error)) throw error
    const reason =
      error instanceof NotAllowed ? 'protected_environment_failure' : 'environment_creation_failure'
    await fail(context, job, reason)
  }
}

/** The deployment of a job that starts an environment, and whether it waits for approvals. Other actions make none. */
async function placeOf(
  tx: Tx,
  caller: GateCaller,
  { ref, sha, tag, deployment_id }: PreparedJob,
  { name, action }: JobEnvironment,
): Promise<{ readonly deployment: number | null; readonly waits: boolean }> {
  if (action !== 'start') {
    const environment = await ensureEnvironment(tx, caller.project.container, name)
    await assertMayDeploy(tx, caller, environment)
    return { deployment: null, waits: false }
  }
  const id =
    deployment_id ??
    (await createDeployment(tx, caller, {
      environment: name,
      sha,
      ref: ref.slice(0, 255),
      tag,
      status: 'created',
    }))
  const { status } = await tx.db
    .selectFrom('deployments')
    .select('status')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return { deployment: id, waits: status === 'blocked' }
}

const authorOf = async ({ db }: JobContext, id: number | null) =>
  id === null
    ? undefined
    : db.selectFrom('users').select(['id', 'username']).where('id', '=', id).executeTakeFirst()

const fail = ({ transact }: JobContext, { id }: PreparedJob, failureReason: string): Promise<void> =>
  transact((tx) =>
    changeJob(tx, id, ({ status }) =>
      status === 'preparing' ? { status: 'failed', failureReason } : undefined,
    ),
  )
