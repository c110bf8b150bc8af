import { enqueue } from '#platform/jobs/enqueue.ts'
import { defineTask } from '#platform/jobs/task.ts'
import type { JobChange } from '../jobs/change-of-job.ts'
import { toStart } from '../jobs/follow-up.ts'
import { changeIfThere } from './change-if-there.ts'
import { startDelayedLater } from './later.ts'

/** Starts delayed jobs of a pipeline whose time has come, and wakes again for the next ones. */
export const startDelayedJobs = defineTask(
  startDelayedLater.name,
  'short',
  startDelayedLater.payload,
  async ({ pipeline_id }, { transact }) => {
    await transact(async (tx) => {
      const changed = await changeIfThere(tx, pipeline_id, (jobs) => {
        const due = jobs.filter(
          ({ status, scheduled_at }) =>
            status === 'scheduled' && scheduled_at !== null && Date.parse(scheduled_at) <= Date.parse(tx.now),
        )
        return { changes: new Map(due.map((job): [number, JobChange] => [job.id, { status: toStart(job) }])) }
      })
      const moments = (changed?.jobs ?? []).flatMap(({ status, scheduled_at }) =>
        status === 'scheduled' && scheduled_at !== null ? [scheduled_at] : [],
      )
      const [runAt] = moments.toSorted()
      if (runAt !== undefined) await enqueue(tx, startDelayedLater, { pipeline_id }, { runAt })
    })
  },
)
