import { changeStatus } from '#delivery/deployments/change-status.ts'
import { lockDeployment } from '#delivery/deployments/queries.ts'
import { lockEnvironmentByName } from '#delivery/environments/queries.ts'
import { stopEnvironment } from '#delivery/environments/stop-environment.ts'
import type { DeploymentStatus } from '#platform/db/schema.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { isPassing, Refusal } from '#platform/refusals.ts'
import { definitionColumn } from '../jobs/definition.ts'
import { followDeploymentsLater } from './later.ts'

const told: readonly DeploymentStatus[] = ['running', 'success', 'failed', 'canceled', 'skipped']

/** Tells deployments how their jobs went, and stops environments whose stopping job has succeeded. */
export const followDeployments = defineTask(
  followDeploymentsLater.name,
  'short',
  followDeploymentsLater.payload,
  async ({ pipeline_id }, context) => {
    const rows = await context.db
      .selectFrom('ci_jobs as j')
      .innerJoin('ci_job_definitions as d', 'd.id', 'j.definition_id')
      .innerJoin('projects as p', 'p.id', 'j.project_id')
      .leftJoin('deployments as e', 'e.id', 'j.deployment_id')
      .select(['j.id', 'j.project_id', 'p.project_namespace_id', 'j.status', 'j.environment'])
      .select(['e.id as deployment_id', 'e.status as deployed', definitionColumn.as('definition')])
      .where('j.pipeline_id', '=', pipeline_id)
      .where('j.environment', 'is not', null)
      .orderBy('j.id')
      .execute()
    for (const row of rows) {
      const to = told.find((status) => status === row.status)
      if (row.deployment_id !== null && to !== undefined && to !== row.deployed)
        await unlessRefused(() => tell(context, row, row.deployment_id ?? 0, to))
      if (row.definition.environment?.action === 'stop' && row.status === 'success')
        await unlessRefused(() => stop(context, row))
    }
  },
)

interface Row {
  readonly project_id: number
  readonly project_namespace_id: number
  readonly environment: string | null
  readonly definition: { readonly environment?: { readonly url?: string } }
}

async function tell(
  { transact }: JobContext,
  { project_id, project_namespace_id, definition }: Row,
  deploymentId: number,
  to: DeploymentStatus,
): Promise<void> {
  await transact(async (tx) => {
    const locked = await lockDeployment(tx, project_id, deploymentId)
    await changeStatus(tx, project_namespace_id, locked, to)
    const url = definition.environment?.url
    if (to !== 'success' || url === undefined || url.length > 255 || !/^https?:\/\/[^\s$]+$/.test(url)) return
    await tx.db
      .updateTable('environments')
      .set({ external_url: url, updated_at: tx.now })
      .where('id', '=', locked.environment.id)
      .execute()
  })
}

async function stop(
  { transact }: JobContext,
  { project_id, project_namespace_id, environment }: Row,
): Promise<void> {
  await transact(async (tx) => {
    const locked = await lockEnvironmentByName(tx, project_id, environment ?? '')
    if (locked !== undefined) await stopEnvironment(tx, project_namespace_id, locked)
  })
}

/** What does not lead on from the present status, or was deleted, stays. */
async function unlessRefused(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof Refusal) || isPassing(error)) throw error
  }
}
