import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask } from '#platform/jobs/task.ts'
import { Refusal } from '#platform/refusals.ts'
import { changeJob } from '../jobs/finish-job.ts'
import { aboutRunner } from './about-runner.ts'

/** Jobs that are ended between two looks at what is left. */
const AT_ONCE = 100

/** Ends what a runner had when it was removed: nobody else will. */
export const endJobsOfRemovedRunner = defineTask(
  'ci.end-jobs-of-removed-runner',
  'short',
  Type.Object({ runner_id: Type.Integer() }),
  async ({ runner_id }, { db, transact, signal }) => {
    let last = 0
    for (;;) {
      signal.throwIfAborted()
      const { rows } = await sql<{ id: number }>`select id from ci_jobs
        where runner_id = ${runner_id} and id > ${last} and status in ('running', 'canceling') order by id limit ${AT_ONCE}`.execute(
        db,
      )
      for (const { id } of rows) {
        last = id
        await transact((tx) => endUnlessEnded(tx, id)).catch((error: unknown) => {
          // It is gone meanwhile.
          if (!(error instanceof Refusal)) throw error
        })
      }
      if (rows.length < AT_ONCE) return
    }
  },
)

const endUnlessEnded = (tx: Tx, jobId: number): Promise<void> =>
  changeJob(tx, jobId, ({ status }) => {
    if (status === 'canceling') return { status: 'canceled' }
    return status === 'running' ? { status: 'failed', failureReason: 'runner_system_failure' } : undefined
  })

/**
 * Removes a runner. Its token and those of its jobs end at once; a task ends the jobs.
 * @param runner locked for its removal
 */
export async function removeRunner(
  tx: Tx,
  runner: {
    readonly id: number
    readonly description: string | null
    readonly owner_namespace_id: number | null
  },
): Promise<void> {
  const running = await tx.db
    .selectFrom('ci_running_jobs')
    .select('job_id')
    .where('runner_id', '=', runner.id)
    .limit(1)
    .executeTakeFirst()
  await tx.db.deleteFrom('ci_runners').where('id', '=', runner.id).execute()
  if (running !== undefined) await enqueue(tx, endJobsOfRemovedRunner, { runner_id: runner.id })
  record(tx, { name: 'runner removed', ...aboutRunner(runner, runner.owner_namespace_id) })
}
