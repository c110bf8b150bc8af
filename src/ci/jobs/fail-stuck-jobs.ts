import { sql } from 'kysely'
import { Type } from 'typebox'
import { defineTask } from '#platform/jobs/task.ts'
import { Refusal } from '#platform/refusals.ts'
import { finishJob } from './finish-job.ts'

/** Jobs that one run looks at; the next run takes the rest. */
const MOST = 500

/**
 * Fails jobs that nobody has taken for an hour, those that ran for longer than they or their runners allow, and those whose runners have
 * said nothing for an hour.
 */
export const failStuckJobs = defineTask('ci.fail-stuck-jobs', 'short', Type.Object({}), async (_, job) => {
  const { db, clock, transact } = job
  const now = clock.now().toISOString()
  const stuck = sql<{ id: number; reason: string }>`
    (select id, 'stuck_or_timeout_failure' as reason from ci_jobs
      where status = 'pending' and not bridge and queued_at < ${now}::timestamptz - interval '1 hour' order by queued_at, id limit ${MOST})
    union all
    (select id, 'job_execution_timeout' from ci_jobs
      where status in ('running', 'canceling') and not bridge
        and started_at < ${now}::timestamptz - timeout * interval '1 second' order by started_at, id limit ${MOST})
    union all
    (select r.job_id, case when j.started_at < ${now}::timestamptz - r.timeout * interval '1 second' then 'job_execution_timeout'
          when r.contacted_at <= j.started_at then 'runner_system_failure' else 'stuck_or_timeout_failure' end
      from ci_running_jobs r join ci_jobs j on j.id = r.job_id
      where r.contacted_at < ${now}::timestamptz - interval '1 hour' or j.started_at < ${now}::timestamptz - r.timeout * interval '1 second'
      order by r.job_id limit ${MOST})
    union all
    -- Their runners were deleted.
    (select j.id, 'runner_system_failure' from ci_jobs j
      where j.status in ('running', 'canceling') and not j.bridge and j.token_digest is not null
        and not exists (select from ci_running_jobs r where r.job_id = j.id)
      order by j.started_at, j.id limit ${MOST})`
  const { rows } = await stuck.execute(db)
  for (const { id, reason } of rows) {
    try {
      await transact((tx) => finishJob(tx, id, { status: 'failed', failureReason: reason }))
    } catch (error) {
      // Somebody ended it meanwhile.
      if (!(error instanceof Refusal)) throw error
    }
  }
})
