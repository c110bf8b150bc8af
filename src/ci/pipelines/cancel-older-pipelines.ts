import type { CiStatus } from '#platform/db/schema.ts'
import { defineTask } from '#platform/jobs/task.ts'
import type { JobChange } from '../jobs/change-of-job.ts'
import type { EngineJob } from '../jobs/rows.ts'
import { cancelable } from '../jobs/statuses.ts'
import { changeIfThere } from './change-if-there.ts'
import { cancelOlderLater } from './later.ts'

/** Pipelines of one branch that a new one may cancel. */
const MOST = 100
const alive: readonly CiStatus[] = [
  'created',
  'waiting_for_resource',
  'preparing',
  'pending',
  'running',
  'scheduled',
]

/** Cancels older pipelines of the same branch, as far as their files let a newer commit do that. */
export const cancelOlderPipelines = defineTask(
  cancelOlderLater.name,
  'short',
  cancelOlderLater.payload,
  async ({ pipeline_id }, { db, transact }) => {
    const newer = await db
      .selectFrom('pipelines')
      .select(['project_id', 'ref', 'tag', 'sha'])
      .where('id', '=', pipeline_id)
      .executeTakeFirst()
    if (newer === undefined || newer.tag) return
    const older = await db
      .selectFrom('pipelines')
      .select(['id', 'on_new_commit'])
      .where('project_id', '=', newer.project_id)
      .where('ref', '=', newer.ref)
      .where('id', '<', pipeline_id)
      .where('sha', '<>', newer.sha)
      .where('status', 'in', alive)
      .where('is_child', '=', false)
      .where('source', 'not in', ['schedule', 'external'])
      .orderBy('id', 'desc')
      .limit(MOST)
      .execute()
    for (const { id, on_new_commit } of older) {
      await transact((tx) =>
        changeIfThere(tx, id, (jobs) => ({ changes: cancellations(jobs, on_new_commit ?? 'conservative') })),
      )
    }
  },
)

/** Jobs that a newer commit cancels. Once a job has begun that must not be interrupted, a conservative file keeps all. */
function cancellations(jobs: readonly EngineJob[], mode: string): ReadonlyMap<number, JobChange> {
  if (mode === 'none') return new Map()
  const begun = jobs.some(({ interruptible, started_at }) => !interruptible && started_at !== null)
  if (mode === 'conservative' && begun) return new Map()
  const canceled = jobs.filter(
    ({ status, interruptible }) => cancelable.has(status) && (mode === 'conservative' || interruptible),
  )
  return new Map(canceled.map(({ id }): [number, JobChange] => [id, { status: 'canceled' }]))
}
