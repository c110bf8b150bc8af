import { sql } from 'kysely'
import type { Commit } from '#code/git/commit.ts'
import type { KeptCommit } from '#code/jobs/entity.ts'
import { nextIid } from '#identity/namespaces/next-iid.ts'
import { lockParent } from '#identity/namespaces/lock.ts'
import { recordset } from '#platform/db/recordset.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { invalid } from '#platform/refusals.ts'
import { onlyOne } from '#platform/sequences.ts'
import type { ChosenJob } from '../config/chosen.ts'
import { changedJob } from '../jobs/change-of-job.ts'
import { definitionOf } from '../jobs/definition.ts'
import { neededFeatures } from '../jobs/needed-features.ts'
import { followUp } from '../jobs/follow-up.ts'
import type { EngineJob } from '../jobs/rows.ts'
import { aboutFact, pipelineInFacts } from './about-pipeline.ts'
import { jobFacts } from './change-jobs.ts'
import { cancelOlderLater } from './later.ts'
import type { PreparedPipeline } from './prepare-pipeline.ts'
import { together } from './together.ts'
import { wakeLater } from './wake-later.ts'

/** A variable with its value as it is stored. */
export interface SealedVariable {
  readonly key: string
  readonly value: Buffer
  readonly variable_type: 'env_var' | 'file'
  readonly raw: boolean
}

/** What becomes of a prepared pipeline: jobs, or a pipeline that ends at once. */
export type Content =
  | {
      readonly jobs: readonly ChosenJob[]
      readonly name: string | undefined
      readonly onNewCommit?: string
      readonly onJobFailure?: string
    }
  | { readonly skipped: true }
  | { readonly yamlErrors: string }

/**
 * Writes a pipeline with its jobs, of which those that wait for nothing begin to start. The number of statements does not depend on that
 * of the jobs.
 * @returns its id, or that of the earlier one of the same origin
 */
export async function insertPipeline(
  tx: Tx,
  { wanted, project, commit, ref, isTag, isProtected, before }: PreparedPipeline,
  content: Content,
  variables: readonly SealedVariable[],
): Promise<number> {
  await lockParent(tx, project.namespace_id)
  const iid = await nextIid(tx, project.namespace_id, 'pipeline')
  const earlier = await earlierOne(tx, wanted.projectId, wanted.origin)
  if (earlier !== undefined) return earlier
  if (wanted.upstreamJobId !== undefined) await assertRuns(tx, wanted.upstreamJobId)
  const id = await nextPipelineId(tx)
  const jobs = 'jobs' in content ? await newJobs(tx, content.jobs) : []
  const started = start(
    jobs.map(({ row }) => row),
    tx.now,
  )
  const status = statusOf(content, started)
  const name = 'jobs' in content ? (content.name ?? null) : null
  await tx.db
    .insertInto('pipelines')
    .values({
      id,
      project_id: project.id,
      iid,
      source: wanted.source,
      status,
      ref,
      tag: isTag,
      protected: isProtected,
      sha: commit.id,
      before_sha: before,
      name: name === '' ? null : name,
      yaml_errors: 'yamlErrors' in content ? content.yamlErrors.slice(0, 100_000) : null,
      failure_reason: 'yamlErrors' in content ? 'config_error' : null,
      merge_request_id: wanted.mergeRequestId ?? null,
      schedule_id: wanted.scheduleId ?? null,
      trigger_id: wanted.triggerId ?? null,
      upstream_job_id: wanted.upstreamJobId ?? null,
      is_child: wanted.source === 'parent_pipeline',
      user_id: wanted.userId,
      origin: wanted.origin ?? null,
      on_new_commit: 'jobs' in content ? (content.onNewCommit ?? null) : null,
      on_job_failure: 'jobs' in content ? (content.onJobFailure ?? null) : null,
      commit: JSON.stringify(keptCommit(commit)),
      committed_at: new Date(commit.committer.time * 1000).toISOString(),
      created_at: tx.now,
      updated_at: tx.now,
      finished_at: 'jobs' in content ? null : tx.now,
    })
    .execute()
  await insertVariables(tx, id, variables)
  if (wanted.triggerId !== undefined) await noteUse(tx, wanted.triggerId)
  const about = pipelineInFacts(
    { id, iid, ref, sha: commit.id, source: wanted.source, merge_request_id: wanted.mergeRequestId ?? null },
    project.namespace_id,
  )
  record(tx, { name: 'pipeline created', ...aboutFact(about), details: { ...about.details, status } })
  if (jobs.length > 0) {
    await insertJobs(
      tx,
      {
        pipelineId: id,
        projectId: project.id,
        userId: wanted.userId,
        timeout: project.timeout,
        isProtected,
        ofMergeRequest: wanted.mergeRequestId !== undefined,
      },
      jobs,
      started,
    )
    record(tx, ...jobFacts(about, started, new Map()))
    await wakeLater(tx, id, started)
    if (project.cancelsOlder && wanted.source !== 'parent_pipeline')
      await enqueue(tx, cancelOlderLater, { pipeline_id: id })
  }
  return id
}

/** Characters of a message that lists show. */
const MOST_OF_MESSAGE = 100_000

const keptCommit = ({ id, parents, author, committer, message, title }: Commit): KeptCommit => ({
  id,
  parents,
  author,
  committer,
  message: message.slice(0, MOST_OF_MESSAGE),
  title,
})

const earlierOne = async (
  tx: Tx,
  projectId: number,
  origin: string | undefined,
): Promise<number | undefined> => {
  if (origin === undefined) return undefined
  const found = await tx.db
    .selectFrom('pipelines')
    .select('id')
    .where('project_id', '=', projectId)
    .where('origin', '=', origin)
    .executeTakeFirst()
  return found?.id
}

/**
 * Lets a pipeline be made only while the job that starts it runs: who cancels that job meanwhile waits, and then finds the new pipeline.
 * @throws 400
 */
async function assertRuns(tx: Tx, upstreamJobId: number): Promise<void> {
  const job = () =>
    tx.db
      .selectFrom('ci_jobs')
      .select(['pipeline_id', 'status'])
      .where('id', '=', upstreamJobId)
      .executeTakeFirst()
  const known = await job()
  if (known !== undefined) {
    const { pipeline_id: id } = known
    await tx.db.selectFrom('pipelines').select('id').where('id', '=', id).forNoKeyUpdate().execute()
    if ((await job())?.status === 'running') return
  }
  throw invalid({ base: ['The job that starts the pipeline does not run any more'] })
}

const noteUse = (tx: Tx, triggerId: number) =>
  tx.db.updateTable('pipeline_triggers').set({ last_used: tx.now }).where('id', '=', triggerId).execute()

async function nextPipelineId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number }>`select nextval('pipeline_ids') as id`.execute(tx.db)
  return onlyOne(rows).id
}

/** A job that is about to be inserted. */
interface NewJob {
  readonly row: EngineJob
  readonly chosen: ChosenJob
  readonly definitionId: number
}

async function newJobs(tx: Tx, chosen: readonly ChosenJob[]): Promise<NewJob[]> {
  if (chosen.length === 0) return []
  const { rows } = await sql<{ id: number; definition_id: number }>`
    select nextval('commit_statuses_id_seq') as id, nextval(pg_get_serial_sequence('ci_job_definitions', 'id')) as definition_id
    from generate_series(1, ${chosen.length}::integer)`.execute(tx.db)
  return chosen.flatMap((job, at) => {
    const ids = rows[at]
    return ids === undefined
      ? []
      : [{ chosen: job, definitionId: ids.definition_id, row: newRow(job, ids.id) }]
  })
}

const newRow = (job: ChosenJob, id: number): EngineJob => ({
  id,
  name: job.name,
  stage: job.stage,
  stage_index: job.stageIndex,
  status: 'created',
  run_when: job.when,
  allow_failure: job.allowFailure === true,
  interruptible: job.interruptible ?? false,
  bridge: job.trigger !== undefined,
  needs: job.needs?.map((need) => need.job) ?? null,
  environment: job.trigger === undefined ? (job.environment?.name ?? null) : null,
  start_in: job.startIn ?? null,
  deployment_id: null,
  resource_group: job.resourceGroup ?? null,
  user_id: null,
  failure_reason: null,
  coverage: null,
  scheduled_at: null,
  queued_at: null,
  started_at: null,
  finished_at: null,
})

/** Jobs with those that wait for nothing already on their way. */
function start(jobs: readonly EngineJob[], now: string): EngineJob[] {
  const follows = new Map(followUp(jobs).map(({ job, to }) => [job.id, to]))
  return jobs.map((job) => {
    const to = follows.get(job.id)
    return to === undefined ? job : changedJob(job, { status: to }, now)
  })
}

function statusOf(content: Content, jobs: readonly EngineJob[]): CiStatus {
  if ('skipped' in content) return 'skipped'
  return 'yamlErrors' in content ? 'failed' : (together(jobs) ?? 'skipped')
}

interface Belonging {
  readonly pipelineId: number
  readonly projectId: number
  readonly userId: number
  readonly timeout: number
  readonly isProtected: boolean
  readonly ofMergeRequest: boolean
}

async function insertJobs(
  tx: Tx,
  { pipelineId, projectId, userId, timeout, isProtected, ofMergeRequest }: Belonging,
  jobs: readonly NewJob[],
  started: readonly EngineJob[],
): Promise<void> {
  const definitions = jobs.map(({ chosen, definitionId }) => ({
    id: definitionId,
    pipeline_id: pipelineId,
    definition: definitionOf(chosen),
  }))
  await sql`insert into ci_job_definitions (id, pipeline_id, definition)
    select id, pipeline_id, definition from ${recordset('ci_job_definitions', definitions)}`.execute(tx.db)
  const rows = jobs.map(({ chosen, definitionId }, at) => ({
    ...started[at],
    project_id: projectId,
    pipeline_id: pipelineId,
    definition_id: definitionId,
    tags: chosen.tags,
    user_id: userId,
    timeout: chosen.timeout ?? timeout,
    ref_protected: isProtected,
    needed_features: neededFeatures(chosen, ofMergeRequest),
    created_at: tx.now,
    updated_at: tx.now,
  }))
  const columns = sql`id, project_id, pipeline_id, definition_id, bridge, name, stage, stage_index, status, run_when, allow_failure,
    interruptible, environment, start_in, needs, tags, resource_group, user_id, timeout, created_at, updated_at, scheduled_at, queued_at,
    ref_protected, needed_features`
  await sql`insert into ci_jobs (${columns}) select ${columns} from ${recordset('ci_jobs', rows)}`.execute(
    tx.db,
  )
}

async function insertVariables(
  tx: Tx,
  pipelineId: number,
  variables: readonly SealedVariable[],
): Promise<void> {
  if (variables.length === 0) return
  await tx.db
    .insertInto('pipeline_variables')
    .values(variables.map((one) => ({ ...one, pipeline_id: pipelineId })))
    .execute()
}
