import { sql } from 'kysely'
import { Type } from 'typebox'
import type { EnvironmentRow } from '#delivery/environments/entity.ts'
import { authorizeIfAllowed, viewerOfUser } from '#platform/access/act-for.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask, type JobContext } from '#platform/jobs/task.ts'
import { isPassing, Refusal } from '#platform/refusals.ts'
import { playJob } from '../jobs/repeat-job.ts'
import { rightsToRun } from './rights-to-run.ts'

/** The job that stops an environment. */
interface StopJob {
  readonly id: number
  readonly pipeline_id: number
  readonly project_id: number
  readonly ref: string
  readonly tag: boolean
  /** Who ran the job that deployed. */
  readonly user_id: number | null
}

/** Plays the job that `on_stop` names. */
export const playStopJob = defineTask(
  'ci.play-stop-job',
  'short',
  Type.Object({
    environment_id: Type.Integer(),
    /** Who stops it; null where its time has come. */
    user_id: Type.Union([Type.Integer(), Type.Null()]),
  }),
  async ({ environment_id, user_id }, job) => {
    const found = await stopJobOf(job.db, environment_id)
    if (found !== undefined && (await play(job, found, user_id ?? found.user_id))) return
    // Whoever stopped it may not run the job: the environment goes on.
    await job.transact((tx) =>
      tx.db
        .updateTable('environments')
        .set({ state: 'available', updated_at: tx.now })
        .where('id', '=', environment_id)
        .where('state', '=', 'stopping')
        .execute(),
    )
  },
)

/** Lets the job that `on_stop` names run before an environment stops. */
export async function stopByJob(tx: Tx, { id }: EnvironmentRow): Promise<boolean> {
  if ((await stopJobOf(tx.db, id)) === undefined) return false
  await enqueue(tx, playStopJob, { environment_id: id, user_id: tx.author?.id ?? null })
  return true
}

/** The job beside the one that deployed what is in an environment now. */
async function stopJobOf(db: Db | Tx['db'], environmentId: number): Promise<StopJob | undefined> {
  const { rows } = await sql<StopJob>`
    select s.id, s.pipeline_id, s.project_id, p.ref, p.tag, j.user_id
    from (select d.id from deployments d where d.environment_id = ${environmentId} and d.status = 'success'
        order by d.id desc limit 1) d
      join ci_jobs j on j.deployment_id = d.id
      join ci_job_definitions f on f.id = j.definition_id
      join ci_jobs s on s.pipeline_id = j.pipeline_id and not s.retried and s.name = f.definition -> 'environment' ->> 'onStop'
      join pipelines p on p.id = j.pipeline_id
    order by j.id desc limit 1`.execute(db)
  return rows[0]
}

async function play(job: JobContext, stopJob: StopJob, userId: number | null): Promise<boolean> {
  const { db, clock } = job
  const viewer = userId === null ? undefined : await viewerOfUser({ db, clock }, userId, null)
  const authorized = viewer && (await authorizeIfAllowed(db, viewer, stopJob.project_id, 'update_job'))
  if (viewer === undefined || authorized === undefined) return false
  if (!(await rightsToRun(db, { authorized, viewer }, stopJob.ref, stopJob.tag)).mayRun) return false
  const author = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', viewer.id)
    .executeTakeFirstOrThrow()
  try {
    await job.transact((tx) => playJob(tx, stopJob), author)
    return true
  } catch (error) {
    if (!(error instanceof Refusal) || isPassing(error)) throw error
    return false
  }
}
