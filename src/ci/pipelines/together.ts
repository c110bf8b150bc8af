import type { CiStatus } from '#platform/db/schema.ts'

/** What counts of a job for what waits for it. */
export interface CountedJob {
  readonly status: CiStatus
  readonly allow_failure: boolean
}

/** A status as it counts: what may fail does no harm, and a manual job that may stay undone is not waited for. */
type Counted = CiStatus | 'passed with warnings' | 'ignored'

function counted({ status, allow_failure }: CountedJob): Counted {
  if (!allow_failure) return status
  if (status === 'failed' || status === 'canceled') return 'passed with warnings'
  return status === 'manual' ? 'ignored' : status
}

/** A set of jobs of which only the different statuses count, however many jobs there are. */
export class Statuses {
  readonly #all = new Set<Counted>()

  add(job: CountedJob): void {
    this.#all.add(counted(job))
  }

  addAll(others: Statuses): void {
    for (const one of others.#all) this.#all.add(one)
  }

  #only(...allowed: readonly Counted[]): boolean {
    for (const one of this.#all) if (!allowed.includes(one)) return false
    return true
  }

  #any(...wanted: readonly Counted[]): boolean {
    return wanted.some((one) => this.#all.has(one))
  }

  /** The status of them together, as GitLab derives it; undefined for none. */
  together(): CiStatus | undefined {
    if (this.#all.size === 0) return undefined
    const fine = ['passed with warnings', 'ignored'] as const
    if (this.#only('skipped', 'ignored')) return 'skipped'
    if (this.#only('success', 'skipped', ...fine)) return 'success'
    if (this.#only('created', ...fine)) return 'created'
    if (this.#only('preparing', ...fine)) return 'preparing'
    if (this.#only('canceled', 'success', 'skipped', ...fine)) return 'canceled'
    if (this.#only('pending', 'created', 'skipped', ...fine)) return 'pending'
    if (this.#any('canceling')) return 'canceling'
    if (this.#any('waiting_for_callback')) return 'waiting_for_callback'
    if (this.#any('running', 'pending')) return 'running'
    if (this.#any('waiting_for_resource')) return 'waiting_for_resource'
    if (this.#any('manual')) return 'manual'
    if (this.#any('scheduled')) return 'scheduled'
    if (this.#any('preparing')) return 'preparing'
    return this.#any('created') ? 'running' : 'failed'
  }

  /** The status of jobs that another one needs by name: it waits for each to end, and does not run if one of them did not. */
  ofNeeds(): CiStatus | undefined {
    if (this.#any('skipped', 'ignored')) return 'skipped'
    if (!this.#only('success', 'failed', 'canceled', 'passed with warnings')) return 'pending'
    return this.together()
  }
}

export function together(jobs: Iterable<CountedJob>): CiStatus | undefined {
  const statuses = new Statuses()
  for (const job of jobs) statuses.add(job)
  return statuses.together()
}
