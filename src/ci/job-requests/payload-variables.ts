import { keyRing } from '#platform/key-ring/key-ring.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import type { StoredRepository } from '#code/repositories/rows.ts'
import { openPipelineVariable } from '../pipelines/create-pipeline.ts'
import { circumstancesOf } from '../pipelines/circumstances.ts'
import { mergeRequestOf } from '../pipelines/merge-request-of.ts'
import type { PipelineProject } from '../pipelines/pipeline-project.ts'
import { type DescribedPipeline, predefinedVariables, slugOf } from '../pipelines/predefined-variables.ts'
import { SEALED_AS } from '../jobs/variables.ts'
import { variablesForJobs } from '../variables/for-jobs.ts'
import type { AskingRunner } from './asking-runner.ts'
import { CannotRun } from './errors.ts'
import type { JobToGive } from './job-to-give.ts'
import { MOST_SECRET_BYTES } from './mask.ts'
import { type UnresolvedVariable, VariableResolver } from './resolve-variables.ts'

/** A variable as runners get it. */
export interface GivenVariable {
  readonly key: string
  readonly value: string
  readonly public: boolean
  readonly masked: boolean
  readonly file: boolean
  readonly raw: boolean
}

/** What the variables of a job are made of. */
export interface VariablesOf {
  readonly job: JobToGive
  readonly project: PipelineProject
  readonly repository: StoredRepository | undefined
  readonly runner: Pick<AskingRunner, 'id' | 'tags'>
  readonly token: string
  readonly repositoryUrl: string
  readonly timeout: number
}

/** A variable with what decides who sees it. */
interface Layered extends UnresolvedVariable {
  readonly public: boolean
  readonly masked: boolean
}

/** The variables of a job, and what texts of its configuration become by them. */
export interface JobVariables {
  readonly variables: readonly GivenVariable[]
  readonly expand: (text: string) => string
  /** What the log must not show. */
  readonly secrets: readonly string[]
}

/** The variables of a job by where they come from. Of several with one key the last one counts. */
export interface VariableLayers {
  /** What the server says, and the configuration. */
  readonly weak: readonly Layered[]
  /** What people have set for the project and the pipeline, and what belongs to the job alone. */
  readonly strong: readonly Layered[]
}

/** Variables of one job: more have no place in the environment of a program. */
const MOST = 5_000

/** Gathers the variables of a job. @throws {CannotRun} where nobody may run it for its person */
export async function gatherVariables(services: JobServices, of: VariablesOf): Promise<VariableLayers> {
  const { job, token, repositoryUrl } = of
  const secret = { raw: true, file: false, public: false }
  const [said, environment, ...set] = await Promise.all([
    predefined(services, of),
    ofEnvironment(services, job),
    ofProject(services, of),
    ofPipeline(services, job),
    ofStart(services, job),
  ])
  return {
    weak: [
      ...shown(said),
      ...shown(ofJob(services, of)),
      ...shown(environment),
      ...job.definition.variables.map((one) => ({ ...one, file: false, public: true, masked: false })),
    ],
    strong: [
      ...set.flat(),
      { ...secret, key: 'CI_JOB_TOKEN', value: token, masked: true },
      { ...secret, key: 'CI_REPOSITORY_URL', value: repositoryUrl, masked: false },
    ],
  }
}

/**
 * Writes out the values of variables.
 * @param handed what other jobs hand on
 * @throws {CannotRun} for too many, and for more secrets than a log can be searched for
 */
export function resolveVariables(
  { weak, strong }: VariableLayers,
  handed: ReadonlyMap<string, string> = new Map(),
): JobVariables {
  const all = new Map([...weak, ...shown(handed), ...strong].map((one) => [one.key, one]))
  const resolver = new VariableResolver(all)
  const variables = [...all.values()].map(({ key, value, file, masked, public: isPublic, raw }) => {
    const resolved = resolver.valueOf(key) ?? { value, raw }
    return { key, ...resolved, public: isPublic, masked, file }
  })
  const secrets = new Set(
    [...variables, ...all.values()].filter(({ masked }) => masked).map(({ value }) => value),
  )
  const bytes = [...secrets].reduce((sum, one) => sum + Buffer.byteLength(one), 0)
  if (all.size > MOST || bytes > MOST_SECRET_BYTES) throw new CannotRun('data_integrity_failure')
  return { variables, expand: (text) => resolver.text(text).value, secrets: [...secrets] }
}

/** Variables that anybody may see who sees the job. */
const shown = (values: ReadonlyMap<string, string>): Layered[] =>
  [...values].map(([key, value]) => ({ key, value, raw: true, file: false, public: true, masked: false }))

async function predefined(
  services: JobServices,
  { job, project, repository }: VariablesOf,
): Promise<Map<string, string>> {
  const { db } = services
  const { pipeline } = job
  const mergeRequest =
    pipeline.merge_request_id === null ? undefined : await mergeRequestOf(db, pipeline.merge_request_id)
  const ref = mergeRequest === undefined ? pipeline.ref : mergeRequest.source_branch
  const [user, circumstances] = await Promise.all([
    personOf(services, job),
    circumstancesOf(
      db,
      {
        projectId: project.id,
        name: ref,
        isTag: pipeline.tag,
        scheduleId: pipeline.schedule_id ?? undefined,
        repository,
      },
      services.clock.now(),
    ),
  ])
  if (pipeline.commit === null) throw new CannotRun('data_integrity_failure')
  return predefinedVariables({
    site: services.site(),
    project,
    defaultBranch: repository?.row.default_branch ?? null,
    commit: pipeline.commit,
    before: pipeline.before_sha,
    ref,
    isTag: pipeline.tag,
    isProtected: pipeline.protected,
    source: pipeline.source,
    triggered: pipeline.source === 'trigger',
    user,
    mergeRequest,
    pipeline,
    ...circumstances,
  })
}

/** Whoever runs a job acts for somebody. @throws {CannotRun} */
async function personOf({ db }: JobServices, { user_id }: JobToGive): Promise<DescribedPipeline['user']> {
  const user =
    user_id === null
      ? undefined
      : await db
          .selectFrom('users')
          .select(['id', 'name', 'username', 'email'])
          .where('id', '=', user_id)
          .where('state', '=', 'active')
          .executeTakeFirst()
  if (user === undefined) throw new CannotRun('user_blocked')
  return user
}

function ofJob(
  { site, clock }: JobServices,
  { job, project, runner, timeout }: VariablesOf,
): Map<string, string> {
  const { copy } = job.definition
  const values: Readonly<Record<string, string | undefined>> = {
    CI_JOB_ID: String(job.id),
    CI_JOB_URL: `${site()}/${project.full_path}/-/jobs/${job.id}`,
    CI_JOB_NAME: job.name,
    CI_JOB_NAME_SLUG: slugOf(job.name),
    CI_JOB_STAGE: job.stage,
    CI_JOB_STARTED_AT: clock.now().toISOString().replace(/\.\d+/, ''),
    CI_JOB_TIMEOUT: String(timeout),
    CI_JOB_GROUP_NAME: job.name.replace(/(?:\s+\d+\/\d+|:\s*\[.*\])$/, ''),
    CI_JOB_MANUAL: job.run_when === 'manual' ? 'true' : undefined,
    CI_NODE_INDEX: copy && String(copy.index),
    CI_NODE_TOTAL: String(copy?.total ?? 1),
    CI_RUNNER_ID: String(runner.id),
    CI_RUNNER_TAGS: JSON.stringify(runner.tags),
    // Names of before 2017 that files still use.
    CI_BUILD_ID: String(job.id),
    CI_BUILD_NAME: job.name,
    CI_BUILD_STAGE: job.stage,
  }
  return new Map(
    Object.entries(values).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, value]],
    ),
  )
}

async function ofEnvironment({ db }: JobServices, job: JobToGive): Promise<Map<string, string>> {
  const { environment } = job.definition
  if (environment === undefined || job.environment === null) return new Map()
  const found = await db
    .selectFrom('environments')
    .select(['id', 'slug', 'tier', 'external_url'])
    .where('project_id', '=', job.project_id)
    .where('name', '=', job.environment)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  const slug = found?.slug ?? slugOf(job.environment)
  const own: Readonly<Record<string, string>> = {
    CI_ENVIRONMENT_NAME: job.environment,
    CI_ENVIRONMENT_SLUG: slug,
  }
  const url =
    environment.url?.replaceAll(
      /\$\{?(CI_ENVIRONMENT_(?:NAME|SLUG))\}?/g,
      (_, name: string) => own[name] ?? '',
    ) ?? found?.external_url
  return new Map([
    ...Object.entries(own),
    ['CI_ENVIRONMENT_ACTION', environment.action],
    ...(found === undefined
      ? []
      : ([
          ['CI_ENVIRONMENT_ID', String(found.id)],
          ['CI_ENVIRONMENT_TIER', found.tier],
        ] satisfies [string, string][])),
    ...(url === undefined || url === null
      ? []
      : ([['CI_ENVIRONMENT_URL', url]] satisfies [string, string][])),
  ])
}

const ofProject = async (services: JobServices, { job, project }: VariablesOf): Promise<Layered[]> =>
  (
    await variablesForJobs(services, {
      traversalIds: project.traversal_ids,
      protected: job.pipeline.protected,
      environment: job.environment ?? undefined,
    })
  ).map(({ key, value, raw, masked, variable_type }) => ({
    key,
    value,
    raw,
    masked,
    file: variable_type === 'file',
    public: false,
  }))

async function ofPipeline(services: JobServices, job: JobToGive): Promise<Layered[]> {
  const rows = await services.db
    .selectFrom('pipeline_variables')
    .select(['key', 'value', 'variable_type', 'raw'])
    .where('pipeline_id', '=', job.pipeline_id)
    .orderBy('id')
    .execute()
  return Promise.all(
    rows.map(async ({ key, value, variable_type, raw }) => ({
      key,
      value: await openPipelineVariable(services, value),
      raw,
      file: variable_type === 'file',
      public: false,
      masked: false,
    })),
  )
}

/** What somebody gave the job when they started it. */
async function ofStart(services: JobServices, job: JobToGive): Promise<Layered[]> {
  const rows = await services.db
    .selectFrom('ci_job_variables')
    .select(['key', 'value'])
    .where('job_id', '=', job.id)
    .orderBy('id')
    .execute()
  return Promise.all(
    rows.map(async ({ key, value }) => ({
      key,
      value: await keyRing(services).open(SEALED_AS, value),
      raw: false,
      file: false,
      public: false,
      masked: false,
    })),
  )
}
