import type { CiStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound, refusal } from '#platform/refusals.ts'
import { changeJobs, type WantedChanges } from '../pipelines/change-jobs.ts'
import type { JobChange } from './change-of-job.ts'
import { toStart } from './follow-up.ts'
import type { EngineJob } from './rows.ts'

/**
 * Runs a job again that has ended.
 * @returns the id of the new run
 * @throws 403 for a job that has not ended, or that a later run has replaced
 */
export async function retryJob(tx: Tx, { id, pipeline_id }: Meant): Promise<number> {
  const { repeated } = await changeJobs(tx, pipeline_id, (jobs) => {
    const job = jobs.find((one) => one.id === id)
    if (job === undefined || !repeatable.has(job.status)) throw forbidden('Job is not retryable')
    return repeating(jobs, job)
  })
  return repeated.get(id) ?? id
}

/**
 * Starts a manual or delayed job, or runs it again after it has ended.
 * @returns the id of the job that starts
 * @throws 400 for a job that nobody starts by hand
 */
export async function playJob(tx: Tx, { id, pipeline_id }: Meant): Promise<number> {
  const userId = tx.author?.id
  const { repeated } = await changeJobs(tx, pipeline_id, (jobs) => {
    const job = jobs.find((one) => one.id === id)
    if (job === undefined) throw notFound()
    const isAction = job.run_when === 'manual' || job.run_when === 'delayed'
    if (job.status === 'manual' || job.status === 'scheduled')
      return {
        changes: new Map([
          [id, { status: toStart(job), ...(userId !== undefined && { userId }) }],
          ...reopened(jobs, job),
        ]),
      }
    if (!isAction || !repeatable.has(job.status)) throw refusal('400 Bad request - Unplayable Job')
    return repeating(jobs, job)
  })
  return repeated.get(id) ?? id
}

interface Meant {
  readonly id: number
  readonly pipeline_id: number
}

const repeatable: ReadonlySet<CiStatus> = new Set<CiStatus>(['success', 'failed', 'canceled', 'canceling'])

const repeating = (jobs: readonly EngineJob[], job: EngineJob): WantedChanges => ({
  repeat: new Map([[job.id, toStart(job)]]),
  changes: reopened(jobs, job),
})

/** Jobs that were skipped behind a job, and wait again once it runs. */
function reopened(jobs: readonly EngineJob[], job: EngineJob): Map<number, JobChange> {
  const behind = new Set([job.name])
  const found = new Map<number, JobChange>()
  const isBehind = ({ needs, stage_index }: EngineJob): boolean =>
    needs === null ? stage_index > job.stage_index : needs.some((name) => behind.has(name))
  // A job may need one that comes later in the list.
  for (let size = -1; size < found.size;) {
    size = found.size
    for (const one of jobs) {
      if (found.has(one.id) || one.status !== 'skipped' || !isBehind(one)) continue
      found.set(one.id, { status: 'created' })
      behind.add(one.name)
    }
  }
  return found
}
