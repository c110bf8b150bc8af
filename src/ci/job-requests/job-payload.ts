import type { JobServices } from '#platform/jobs/task.ts'
import { DEPLOY_TOKEN_PREFIX } from '#platform/access/credentials.ts'
import { JOB_TOKEN_PREFIX } from '../job-tokens/job-token.ts'
import { readPipelineProject } from '../pipelines/pipeline-project.ts'
import { RUNNER_TOKEN_PREFIX } from '../runners/find-runner.ts'
import { PREFIX as TRIGGER_TOKEN_PREFIX } from '../triggers/entity.ts'
import type { AskingRunner } from './asking-runner.ts'
import { type Dependency, dependenciesOf } from './dependencies.ts'
import { gitInfo, repositoryUrl } from './git-info.ts'
import type { JobToGive } from './job-to-give.ts'
import { artifactsOf, cachesOf } from './payload-artifacts.ts'
import { hooksOf, imageOf, servicesOf, stepsOf } from './payload-steps.ts'
import { handedOn } from './dotenv.ts'
import { CannotRun } from './errors.ts'
import { gatherVariables, resolveVariables } from './payload-variables.ts'

/** Reasons of failures that runners may tell. */
export const FAILURE_REASONS = [
  'unknown_failure',
  'script_failure',
  'api_failure',
  'stuck_or_timeout_failure',
  'runner_system_failure',
  'missing_dependency_failure',
  'runner_unsupported',
  'stale_schedule',
  'job_execution_timeout',
  'archived_failure',
  'unmet_prerequisites',
  'scheduler_failure',
  'data_integrity_failure',
  'image_pull_failure',
  'runner_provisioning_failure',
  'job_router_failure',
] as const

/** What tokens begin with: runners that know of it do not show them, whosever they are. */
const PREFIXES = [JOB_TOKEN_PREFIX, RUNNER_TOKEN_PREFIX, TRIGGER_TOKEN_PREFIX, DEPLOY_TOKEN_PREFIX]

/** What a job is for its runner. */
export interface JobPayload {
  readonly json: object
  readonly secrets: readonly string[]
  readonly timeout: number
  /** The jobs whose artifacts it may load. */
  readonly dependencyIds: readonly number[]
}

/**
 * Makes what a runner gets of a job. Every key is there, also those of which there is nothing: clients lose a job of which one is missing.
 * @throws {CannotRun} for a job that no runner may run
 */
export async function jobPayload(
  services: JobServices,
  job: JobToGive,
  runner: AskingRunner,
  { token, features }: { readonly token: string; readonly features: readonly string[] },
): Promise<JobPayload> {
  const { db, repositories } = services
  const { options } = job.definition
  const [project, repository] = await Promise.all([
    readPipelineProject(db, job.project_id),
    repositories.ofProject(job.project_id),
  ])
  const timeout = Math.min(job.timeout, runner.maximum_timeout ?? Infinity)
  const url = repositoryUrl(services.site(), project.full_path, token)
  if (!project.runsJobs) throw new CannotRun('builds_disabled')
  const layers = await gatherVariables(services, {
    job,
    project,
    repository,
    runner,
    token,
    repositoryUrl: url,
    timeout,
  })
  const needed = await dependenciesOf(services, job, project, resolveVariables(layers).expand)
  const { variables, expand, secrets } = resolveVariables(layers, await handedOn(services, needed))
  const dependencies = needed.filter(({ archive }) => archive !== null)
  const wantedDepth = Number(variables.find(({ key }) => key === 'GIT_DEPTH')?.value ?? project.gitDepth ?? 0)
  const depth = Number.isSafeInteger(wantedDepth) && wantedDepth > 0 ? wantedDepth : 0
  const [root = project.namespace_id] = project.traversal_ids
  const [git_info, cache] = await Promise.all([
    gitInfo(job, project, repository, { url, depth }),
    cachesOf(options, {
      expand,
      repository,
      sha: job.pipeline.sha,
      suffix: !project.separatesCaches ? '' : job.pipeline.protected ? '-protected' : '-non_protected',
    }),
  ])
  const run = options['run']
  const json = {
    id: job.id,
    token,
    allow_git_fetch: project.fetches,
    job_info: {
      id: job.id,
      name: job.name,
      stage: job.stage,
      pipeline_id: job.pipeline_id,
      project_id: project.id,
      project_name: project.name,
      project_full_path: project.full_path,
      namespace_id: project.parent_id,
      root_namespace_id: root,
      user_id: job.user_id,
      time_in_queue_seconds: secondsSince(job.queued_at, services.clock.now()),
      project_jobs_running_on_instance_runners_count: '+Inf',
    },
    git_info,
    runner_info: { timeout, runner_session_url: null },
    variables,
    steps: stepsOf(options, timeout),
    hooks: hooksOf(options),
    image: imageOf(options, expand),
    services: servicesOf(options, expand),
    artifacts: artifactsOf(options, expand, features),
    cache,
    credentials: [],
    dependencies: dependencies.map((one) => presentDependency(one, token)),
    ...(run !== undefined && { run: JSON.stringify(run) }),
    features: {
      trace_sections: true,
      token_mask_prefixes: [services.settings().personal_access_token_prefix, ...PREFIXES].filter(Boolean),
      failure_reasons: FAILURE_REASONS,
    },
  }
  return { json, secrets: [...secrets, token], timeout, dependencyIds: dependencies.map(({ id }) => id) }
}

/** The token is that of the job that asks: it opens the artifacts of the jobs that it depends on. */
const presentDependency = ({ id, name, archive }: Dependency, token: string) => ({
  id,
  name,
  token,
  artifacts_file: archive && { filename: archive.filename, size: archive.size },
})

const secondsSince = (moment: string | null, now: Date): number =>
  moment === null ? 0 : Math.max(0, now.getTime() - Date.parse(moment)) / 1000
