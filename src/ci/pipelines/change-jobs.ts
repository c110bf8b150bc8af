import { sql, type Selectable } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import type { CiStatus, Pipelines } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { type Fact, record } from '#platform/facts/record.ts'
import { notFound } from '#platform/refusals.ts'
import { automaticRetries } from '../jobs/automatic-retries.ts'
import { changedJob, type JobChange } from '../jobs/change-of-job.ts'
import { followUp } from '../jobs/follow-up.ts'
import { releaseRunners } from '../jobs/release-runners.ts'
import { repeatJobs } from '../jobs/repeat-jobs.ts'
import { currentJobs, type EngineJob } from '../jobs/rows.ts'
import { cancelable } from '../jobs/statuses.ts'
import { aboutPipeline, type PipelineInFacts } from './about-pipeline.ts'
import { changePipelineStatus } from './change-pipeline-status.ts'
import { wakeLater } from './wake-later.ts'

const lockedColumns = [
  'id',
  'project_id',
  'iid',
  'status',
  'ref',
  'sha',
  'source',
  'merge_request_id',
  'upstream_job_id',
  'on_job_failure',
  'started_at',
  'user_id',
  'is_child',
] as const
export type LockedPipeline = Pick<Selectable<Pipelines>, (typeof lockedColumns)[number]>

/** What shall become of the jobs of a pipeline. */
export interface WantedChanges {
  /** By the ids of jobs. */
  readonly changes?: ReadonlyMap<number, JobChange>
  /** Jobs of which a new run takes the place, with the status that it begins with. */
  readonly repeat?: ReadonlyMap<number, CiStatus>
}

/** A pipeline after its jobs were changed. */
export interface ChangedPipeline {
  readonly pipeline: LockedPipeline
  /** All that no later run has replaced. */
  readonly jobs: readonly EngineJob[]
  /** The new runs, by the ids of those that they replace. */
  readonly repeated: ReadonlyMap<number, number>
}

/**
 * Changes jobs of a pipeline and all that follows: jobs that waited for them start or are skipped, and the pipeline gets its status.
 * Whatever happens to jobs goes through here. The row of the pipeline is the lock of them all, and the number of statements does not
 * depend on that of the jobs.
 * @param want is given the jobs as they are under the lock
 * @throws 404 when the pipeline is gone
 */
export async function changeJobs(
  tx: Tx,
  pipelineId: number,
  want: (jobs: readonly EngineJob[], pipeline: LockedPipeline) => WantedChanges,
): Promise<ChangedPipeline> {
  const pipeline = await lockPipeline(tx, pipelineId)
  const before = await currentJobs(tx, pipelineId)
  const { changes = NONE, repeat = NO_REPEATS } = want(before, pipeline)
  const known = new Map(before.map((job) => [job.id, job]))
  const wanted = [...changes].flatMap(([id, change]) => {
    const job = known.get(id)
    return job === undefined || repeat.has(id) ? [] : [{ job, change }]
  })
  const changed = new Map(wanted.map(({ job, change }) => [job.id, changedJob(job, change, tx.now)]))
  const again = await automaticRetries(
    tx,
    wanted.filter(({ job, change }) => change.status === 'failed' && !job.bridge),
  )
  const { jobs, repeated } = await repeatJobs(tx, before, new Map([...repeat, ...again]))
  const failed = [...changed.values()].some(
    (job) => job.status === 'failed' && !job.allow_failure && !again.has(job.id),
  )
  if (failed && pipeline.on_job_failure === 'all') cancelAll(jobs, changed, tx.now)
  const now = jobs.map((job) => changed.get(job.id) ?? job)
  for (const { job, to } of followUp(now)) changed.set(job.id, changedJob(job, { status: to }, tx.now))
  const all = now.map((job) => changed.get(job.id) ?? job)
  await releaseRunners(tx, [...changed.values()])
  await writeJobs(tx, [...changed.values()])
  const about = await aboutPipeline(tx, pipeline)
  const replaced = [...again.keys()].flatMap((id) => changed.get(id) ?? [])
  record(tx, ...jobFacts(about, [...replaced, ...all], new Map(before.map((job) => [job.id, job.status]))))
  await changePipelineStatus(tx, pipeline, about, all)
  await wakeLater(tx, pipelineId, [...changed.values(), ...all.filter((job) => !known.has(job.id))])
  return { pipeline, jobs: all, repeated }
}

const NONE: ReadonlyMap<number, JobChange> = new Map()
const NO_REPEATS: ReadonlyMap<number, CiStatus> = new Map()

/** Gives a pipeline the status that its jobs and external statuses have together. */
export const settlePipeline = (tx: Tx, pipelineId: number): Promise<ChangedPipeline> =>
  changeJobs(tx, pipelineId, () => ({}))

const lockPipeline = (tx: Tx, id: number): Promise<LockedPipeline> =>
  tx.db
    .selectFrom('pipelines')
    .select(lockedColumns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow(() => notFound())

function cancelAll(jobs: readonly EngineJob[], changed: Map<number, EngineJob>, now: string): void {
  for (const job of jobs) {
    if (changed.has(job.id) || !cancelable.has(job.status)) continue
    changed.set(job.id, changedJob(job, { status: 'canceled' }, now))
  }
}

async function writeJobs(tx: Tx, jobs: readonly EngineJob[]): Promise<void> {
  if (jobs.length === 0) return
  const rows = jobs.map(({ needs: _, ...row }) => row)
  await sql`
    update ci_jobs j set status = c.status, failure_reason = c.failure_reason, coverage = c.coverage, user_id = c.user_id,
        allow_failure = c.allow_failure, scheduled_at = c.scheduled_at, queued_at = c.queued_at, started_at = c.started_at, finished_at = c.finished_at,
        updated_at = ${tx.now}
      from ${recordset('ci_jobs', rows)} as c where j.id = c.id`.execute(tx.db)
}

/** The facts of jobs whose status is another one than before. */
export const jobFacts = (
  about: PipelineInFacts,
  jobs: readonly EngineJob[],
  before: ReadonlyMap<number, CiStatus>,
): Fact[] =>
  jobs
    .filter((job) => job.status !== before.get(job.id))
    .map((job) => ({
      name: 'job status changed',
      namespace: about.namespace,
      target: { type: 'Job', id: job.id },
      details: {
        pipeline_id: about.id,
        job: job.name,
        stage: job.stage,
        from: before.get(job.id) ?? null,
        to: job.status,
        failure_reason: job.failure_reason,
      },
    }))
