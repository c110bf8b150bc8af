import { sql } from 'kysely'
import { BRANCHES, TAGS } from '#code/git/names.ts'
import type { Db } from '#platform/db/pool.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import type { JobContext } from '#platform/jobs/task.ts'
import { isPassing, Refusal } from '#platform/refusals.ts'
import type { Trigger } from '../config/configuration.ts'
import { changeJob } from '../jobs/finish-job.ts'
import { createPipeline, openPipelineVariable } from './create-pipeline.ts'
import { followUpstreamLater } from './later.ts'
import type { GivenVariable, NewPipeline } from './new-pipeline.ts'
import type { PreparedJob } from './prepared-job.ts'

/** Children of children of a pipeline. */
const MOST_LEVELS = 2
/** Pipelines that start each other, across projects. */
export const MOST_UPSTREAM = 20

/** Makes the pipeline that a job starts: one of another project, or a child of its own. */
export async function startDownstream(context: JobContext, job: PreparedJob): Promise<void> {
  const { transact } = context
  const { trigger } = job.definition
  await transact((tx) =>
    changeJob(tx, job.id, ({ status }) => (status === 'pending' ? { status: 'running' } : undefined)),
  )
  try {
    if (trigger === undefined || job.user_id === null)
      throw new NoDownstream('downstream_pipeline_creation_failed')
    const id =
      (await downstreamOf(context.db, job.id)) ??
      (await createPipeline(context, await wantedOf(context, job, trigger, job.user_id)))
    await transact(async (tx) => {
      if (trigger.strategy !== undefined) await enqueue(tx, followUpstreamLater, { pipeline_id: id })
      else
        await changeJob(tx, job.id, ({ status }) =>
          status === 'running' ? { status: 'success' } : undefined,
        )
    })
  } catch (error) {
    const reason =
      error instanceof NoDownstream
        ? error.reason
        : error instanceof Refusal && !isPassing(error)
          ? 'downstream_pipeline_creation_failed'
          : undefined
    if (reason === undefined) throw error
    context.log.info(
      { job: job.id, why: error instanceof Error ? error.message : '' },
      'no downstream pipeline',
    )
    await transact((tx) =>
      changeJob(tx, job.id, ({ status }) =>
        status === 'running' ? { status: 'failed', failureReason: reason } : undefined,
      ),
    )
  }
}

/** The pipeline that a job has started already. */
const downstreamOf = async (db: Db, jobId: number): Promise<number | undefined> =>
  (await db.selectFrom('pipelines').select('id').where('upstream_job_id', '=', jobId).executeTakeFirst())?.id

/** Why a job cannot start a pipeline, as `failure_reason` says it. */
class NoDownstream extends Error {
  override readonly name = 'NoDownstream'
  readonly reason: string
  constructor(reason: string) {
    super(reason)
    this.reason = reason
  }
}

async function wantedOf(
  context: JobContext,
  job: PreparedJob,
  trigger: Trigger,
  userId: number,
): Promise<NewPipeline> {
  const { db } = context
  const levels = await levelsAbove(db, job.pipeline_id)
  if (levels.all >= MOST_UPSTREAM || (trigger.include !== undefined && levels.children >= MOST_LEVELS))
    throw new NoDownstream('reached_max_descendant_pipelines_depth')
  const variables = await forwarded(context, job, trigger)
  const shared = {
    userId,
    upstreamJobId: job.id,
    variables,
    origin: `job ${job.id}`,
    ...(trigger.inputs && { inputs: trigger.inputs }),
  }
  if (trigger.include !== undefined) {
    return {
      ...shared,
      projectId: job.project_id,
      ref: (job.tag ? TAGS : BRANCHES) + job.ref,
      sha: job.sha,
      source: 'parent_pipeline',
      parentId: job.pipeline_id,
      // JSON is YAML.
      content: JSON.stringify({ include: trigger.include }),
    }
  }
  const project = await db
    .selectFrom('projects as p')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select('p.id')
    .where(sql`lower(n.full_path)`, '=', (trigger.project ?? '').toLowerCase())
    .where('n.deleted_at', 'is', null)
    .executeTakeFirst()
  if (project === undefined) throw new NoDownstream('downstream_bridge_project_not_found')
  const repository = await context.repositories.ofProject(project.id)
  const branch = trigger.branch ?? repository?.row.default_branch ?? 'main'
  return { ...shared, projectId: project.id, ref: BRANCHES + branch, source: 'pipeline' }
}

/** How many pipelines above one started each other, and how many of those are children of one project. */
export async function levelsAbove(
  db: Db,
  pipelineId: number,
): Promise<{ readonly all: number; readonly children: number }> {
  const { rows } = await sql<{ all: number; children: number }>`
    with recursive above (id, is_child, level) as (
      select id, is_child, 1 from pipelines where id = ${pipelineId}
      union all
      select p.id, p.is_child, level + 1 from above a join pipelines c on c.id = a.id join ci_jobs j on j.id = c.upstream_job_id
        join pipelines p on p.id = j.pipeline_id
        where level < 100
    )
    select count(*)::integer as all, (count(*) filter (where is_child))::integer as children from above`.execute(
    db,
  )
  return rows[0] ?? { all: 0, children: 0 }
}

/** The variables that the new pipeline gets from this one. */
async function forwarded(
  context: JobContext,
  { definition, pipeline_id }: PreparedJob,
  { forwardYamlVariables, forwardPipelineVariables }: Trigger,
): Promise<GivenVariable[]> {
  const own = forwardYamlVariables
    ? definition.variables.map(({ key, value, raw }) => ({ key, value, raw }))
    : []
  if (!forwardPipelineVariables) return own
  const rows = await context.db
    .selectFrom('pipeline_variables')
    .select(['key', 'value', 'variable_type', 'raw'])
    .where('pipeline_id', '=', pipeline_id)
    .execute()
  const given = await Promise.all(
    rows.map(async (row) => ({ ...row, value: await openPipelineVariable(context, row.value) })),
  )
  return [...own, ...given]
}
