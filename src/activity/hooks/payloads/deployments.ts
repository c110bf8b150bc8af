import { sql } from 'kysely'
import { readCommit } from '#code/git/objects.ts'
import type { DeploymentStatus } from '#platform/db/schema.ts'
import { type BuildContext, payloadKind, type HookPayload, type StoredFact } from './kind.ts'
import { findProject, findUser, type HookProject } from './shapes.ts'

/** People hear when a deployment begins and how it ends. */
const reportedStatuses: ReadonlySet<DeploymentStatus> = new Set(['running', 'success', 'failed', 'canceled'])

type DeploymentFact = StoredFact<'deployment created' | 'deployment status changed'>

/** Deployments: begun, succeeded, failed and canceled. */
export const deploymentPayloads = payloadKind({
  facts: ['deployment created', 'deployment status changed'],
  interestedHooks: (fact) =>
    reportedStatuses.has(fact.name === 'deployment created' ? fact.details.status : fact.details.to)
      ? { triggers: ['deployment_events'], system: 'none' }
      : undefined,
  build: async ([fact], context) => (fact === undefined ? [] : deploymentPayload(fact, context)),
})

interface DeploymentRow {
  readonly project_id: number
  readonly sha: string
  readonly ref: string
  readonly user_id: number | null
  readonly environment: string
  readonly tier: string
  readonly slug: string
  readonly external_url: string | null
  readonly job: number | null
}

async function deploymentPayload(
  fact: DeploymentFact,
  context: BuildContext,
): Promise<readonly HookPayload[]> {
  const id = fact.target?.id ?? 0
  const { rows } = await sql<DeploymentRow>`
    select d.project_id, d.sha, d.ref, d.user_id, e.name as environment, e.tier, e.slug, e.external_url,
      (select j.id from ci_jobs j where j.deployment_id = d.id order by j.id desc limit 1) as job
    from deployments d join environments e on e.id = d.environment_id where d.id = ${id}`.execute(context.db)
  const [found] = rows
  const project = found && (await findProject(context, found.project_id))
  if (found === undefined || project === undefined) return []
  const user = await findUser(context, found.user_id)
  return [
    {
      to: 'project and group hooks',
      triggers: ['deployment_events'],
      name: 'Deployment Hook',
      data: {
        object_kind: 'deployment',
        status: fact.name === 'deployment created' ? fact.details.status : fact.details.to,
        status_changed_at: moment(fact.at),
        deployment_id: id,
        deployable_id: found.job,
        deployable_url: found.job === null ? null : `${project.url}/-/jobs/${found.job}`,
        environment: found.environment,
        environment_tier: found.tier,
        environment_slug: found.slug,
        environment_external_url: found.external_url,
        project: project.project,
        short_sha: found.sha.slice(0, 8),
        user,
        user_url: user === null ? null : `${context.site}/${user.username}`,
        ...(await commitOf(context, project, found.sha)),
        ref: found.ref,
      },
    },
  ]
}

/** A commit that a forced push has removed since has an address, but no title. */
async function commitOf({ repositories }: BuildContext, { id, url }: HookProject, sha: string) {
  const repository = await repositories.ofProject(id)
  const commit = repository && (await readCommit(repository, sha))
  return { commit_url: `${url}/-/commit/${sha}`, commit_title: commit?.title ?? null }
}

/** `2026-11-21 10:45:48 +0000`, which programs expect here. */
const moment = (timestamp: string): string => `${timestamp.slice(0, 10)} ${timestamp.slice(11, 19)} +0000`
