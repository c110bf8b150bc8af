import { changeStatus } from '#delivery/deployments/change-status.ts'
import { lockDeployment } from '#delivery/deployments/queries.ts'
import { lockEnvironmentByName } from '#delivery/environments/queries.ts'
import { stopEnvironment } from '#delivery/environments/stop-environment.ts'
import { tiers } from '#delivery/environments/tier.ts'
import type { DeploymentStatus, DeploymentTier } from '#platform/db/schema.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { isPassing, Refusal } from '#platform/refusals.ts'
import type { JobEnvironment } from '../config/configuration.ts'
import { durationOf } from '../config/durations.ts'
import { expand } from '../config/expand.ts'
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
  readonly definition: { readonly environment?: JobEnvironment }
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
    const changes = to === 'success' ? changesBy(definition.environment, locked.environment, tx.now) : {}
    if (Object.keys(changes).length === 0) return
    await tx.db
      .updateTable('environments')
      .set({ ...changes, updated_at: tx.now })
      .where('id', '=', locked.environment.id)
      .execute()
  })
}

/** What a job that has deployed says of its environment. What is no URL, time or tier is left out. */
function changesBy(
  { url, autoStopIn, tier }: Partial<JobEnvironment> = {},
  { name, slug }: { readonly name: string; readonly slug: string },
  now: string,
): { external_url?: string; auto_stop_at?: string; tier?: DeploymentTier } {
  const of: Readonly<Record<string, string>> = { CI_ENVIRONMENT_NAME: name, CI_ENVIRONMENT_SLUG: slug }
  const whole = url === undefined ? '' : expand(url, (variable) => of[variable])
  const seconds = autoStopIn === undefined ? undefined : durationOf(autoStopIn)
  const known = tiers.find((one) => one === tier)
  return {
    ...(whole.length <= 255 && /^https?:\/\/[^\s$]+$/.test(whole) && { external_url: whole }),
    ...(seconds !== undefined && seconds <= LONGEST && { auto_stop_at: later(now, seconds) }),
    ...(known && { tier: known }),
  }
}

/** Seconds after which an environment stops by itself. */
const LONGEST = 100 * 365 * 86_400
const later = (now: string, seconds: number) => new Date(Date.parse(now) + seconds * 1000).toISOString()

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
