import { transact } from '#platform/db/transaction.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { JobServices } from '#platform/jobs/task.ts'
import { notFound, refusal } from '#platform/refusals.ts'
import { coverageInLog } from '../jobs/end-job.ts'
import type { JobChange } from '../jobs/change-of-job.ts'
import { definitionColumn } from '../jobs/definition.ts'
import { changeJob } from '../jobs/finish-job.ts'
import { flushTrace, noteWord } from './append-trace.ts'
import { FAILURE_REASONS } from './job-payload.ts'
import type { JobUpdate } from './parameters.ts'
import type { RunningJob } from './running-job.ts'

/** What became of a message of a runner about its job. */
export interface UpdatedJob {
  readonly outcome: 'done' | 'accepted' | 'ended'
  readonly status: CiStatus
}

/** Milliseconds for which the end of a job waits for the rest of its log. */
const WAITS_FOR_LOG = 5 * 60_000

/**
 * Does what a runner says of its job: it still runs, or has ended.
 * @throws 400 for another state
 */
export async function updateJob(
  services: JobServices,
  job: RunningJob,
  { state = 'running', failure_reason, exit_code, output, checksum }: JobUpdate,
): Promise<UpdatedJob> {
  if (state !== 'running' && state !== 'success' && state !== 'failed')
    throw refusal('400 Bad request - Unknown state: it is running, success or failed')
  if (state === 'running')
    return { outcome: (await noteWord(services, job)) ? 'done' : 'ended', status: job.status }
  const size = await flushTrace(services, job)
  if (size === undefined) return { outcome: 'ended', status: job.status }
  const isChecked = [checksum, output?.checksum].some((one) => one !== undefined && one !== '')
  if (isChecked && size < (output?.bytesize ?? 0) && (await mayStillCome(services, job)))
    return { outcome: 'accepted', status: job.status }
  const coverage = await coverageInLog(services, job.id)
  const change: JobChange = {
    status: state,
    ...(coverage !== undefined && { coverage }),
    ...(state === 'failed' && (await failureOf(services, job.id, failure_reason, exit_code))),
  }
  return end(services, job.id, change)
}

/** Whether the rest of a log may come before the job ends without it. */
async function mayStillCome(services: JobServices, { id, ending_since }: RunningJob): Promise<boolean> {
  if (ending_since !== null) return services.clock.now().getTime() - Date.parse(ending_since) < WAITS_FOR_LOG
  await transact(services, { author: null, ip: null }, (tx) =>
    tx.db.updateTable('ci_running_jobs').set({ ending_since: tx.now }).where('job_id', '=', id).execute(),
  )
  return true
}

async function failureOf(
  { db }: JobServices,
  jobId: number,
  reason: string | undefined,
  exitCode: number | undefined,
): Promise<Partial<JobChange>> {
  const failureReason = FAILURE_REASONS.find((one) => one === reason) ?? 'unknown_failure'
  if (exitCode === undefined) return { failureReason }
  const { definition } = await db
    .selectFrom('ci_jobs as j')
    .innerJoin('ci_job_definitions as d', 'd.id', 'j.definition_id')
    .select(definitionColumn.as('definition'))
    .where('j.id', '=', jobId)
    .executeTakeFirstOrThrow(() => notFound())
  const { allowFailure } = definition
  return {
    failureReason,
    exitCode,
    ...(typeof allowFailure === 'object' && { allowFailure: allowFailure.exitCodes.includes(exitCode) }),
  }
}

/** Ends a job that runs. The first one who ends it decides. */
export function end(services: JobServices, jobId: number, change: JobChange): Promise<UpdatedJob> {
  return transact(services, { author: null, ip: null }, async (tx) => {
    let updated: UpdatedJob = { outcome: 'done', status: change.status }
    await changeJob(tx, jobId, ({ status }) => {
      if (status === 'running') return change
      updated = { outcome: 'ended', status }
      return undefined
    })
    return updated
  })
}
