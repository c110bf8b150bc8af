import type { CiStatus } from '#platform/db/schema.ts'
import { ended } from './statuses.ts'
import type { EngineJob } from './rows.ts'

/** What becomes of a job. */
export interface JobChange {
  readonly status: CiStatus
  /** As `script_failure`. */
  readonly failureReason?: string | null
  /** Of the script, where the runner says it. */
  readonly exitCode?: number
  readonly coverage?: number
  /** Whether the pipeline goes on after its failure. */
  readonly allowFailure?: boolean
  /** Who started it, where somebody did. */
  readonly userId?: number
}

/** A job after a change, with the moments that belong to its status. */
export function changedJob(job: EngineJob, change: JobChange, now: string): EngineJob {
  const { status, failureReason = null, coverage = job.coverage, userId = job.user_id } = change
  const { allowFailure = job.allow_failure } = change
  const after = {
    ...job,
    status,
    coverage,
    user_id: userId,
    failure_reason: failureReason,
    allow_failure: allowFailure,
  }
  if (status === 'scheduled') {
    const at = Date.parse(now) + (job.start_in ?? 0) * 1000
    return { ...after, scheduled_at: new Date(at).toISOString() }
  }
  if (status === 'pending') return { ...after, queued_at: now, scheduled_at: null }
  if (status === 'running') return { ...after, started_at: now }
  if (status !== 'skipped' && ended.has(status)) return { ...after, finished_at: now }
  return after
}
