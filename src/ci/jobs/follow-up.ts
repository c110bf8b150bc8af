import type { CiStatus } from '#platform/db/schema.ts'
import { Statuses } from '../pipelines/together.ts'

/** What decides when a job starts. */
export interface WaitingJob {
  readonly name: string
  readonly status: CiStatus
  readonly stage_index: number
  readonly run_when: string
  readonly allow_failure: boolean
  /** Names of the jobs that it waits for; null where it waits for the stages before its own. */
  readonly needs: readonly string[] | null
  /** Whether something has to be prepared before it is pending: a deployment. */
  readonly environment: string | null
}

/** A job that no longer waits. */
export interface Follow<Job> {
  readonly job: Job
  readonly to: 'pending' | 'preparing' | 'manual' | 'scheduled' | 'skipped'
}

/** With one of these, what waits for a job may go on. */
const complete: ReadonlySet<CiStatus> = new Set<CiStatus>(['success', 'failed', 'canceled', 'skipped'])

/**
 * Finds which created jobs no longer wait, with all that follows from those: a skipped job lets others be skipped.
 * @param jobs those of one pipeline that no later run has replaced
 */
export function followUp<Job extends WaitingJob>(jobs: readonly Job[]): Follow<Job>[] {
  const byName = new Map(jobs.map((job) => [job.name, { job, status: job.status }]))
  type Entry = { readonly job: Job; status: CiStatus }
  const byStage = Map.groupBy(byName.values(), ({ job }: Entry) => job.stage_index)
  const follows: Follow<Job>[] = []
  const before = new Statuses()
  const consider = (entry: Entry, earlier: CiStatus): boolean => {
    if (!complete.has(earlier)) return false
    const to = next(entry.job, earlier)
    entry.status = to
    follows.push({ job: entry.job, to })
    return true
  }
  for (const stage of [...byStage.keys()].toSorted((a, b) => a - b)) {
    const entries = byStage.get(stage) ?? []
    const earlier = before.together() ?? 'success'
    let waiting: Entry[] = []
    for (const entry of entries) {
      if (entry.status !== 'created') continue
      if (entry.job.needs === null) consider(entry, earlier)
      else waiting.push(entry)
    }
    // Needs may be of the same stage, in any order.
    for (let changed = true; changed;) {
      const left = waiting.filter(
        (entry) =>
          !consider(
            entry,
            ofNeeds(entry.job.needs ?? [], (name) => byName.get(name)),
          ),
      )
      changed = left.length < waiting.length
      waiting = left
    }
    for (const { job, status } of entries) before.add({ status, allow_failure: job.allow_failure })
  }
  return follows
}

function ofNeeds(
  names: readonly string[],
  find: (name: string) => { job: WaitingJob; status: CiStatus } | undefined,
): CiStatus {
  const statuses = new Statuses()
  for (const name of names) {
    const found = find(name)
    if (found !== undefined) statuses.add({ status: found.status, allow_failure: found.job.allow_failure })
  }
  return statuses.ofNeeds() ?? 'success'
}

/** What becomes of a job once all that it waited for has ended so. */
function next(job: WaitingJob, earlier: CiStatus): Follow<WaitingJob>['to'] {
  if (!startsAfter(job, earlier)) return 'skipped'
  if (job.run_when === 'manual') return 'manual'
  if (job.run_when === 'delayed') return 'scheduled'
  return toStart(job)
}

/** How a job begins to start. */
export const toStart = ({ environment }: Pick<WaitingJob, 'environment'>): 'pending' | 'preparing' =>
  environment === null ? 'pending' : 'preparing'

function startsAfter({ run_when, needs }: WaitingJob, earlier: CiStatus): boolean {
  if (run_when === 'on_failure') return earlier === 'failed'
  if (run_when === 'always') return earlier !== 'canceled'
  return earlier === 'success' || (needs === null && earlier === 'skipped')
}
