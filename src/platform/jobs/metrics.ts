import { sql } from 'kysely'
import { Gauge, type Registry } from 'prom-client'
import type { Db } from '#platform/db/pool.ts'
import { onlyOne } from '#platform/sequences.ts'

export interface JobCounts {
  /** Due and never tried. */
  readonly ready: number
  /** Due later. */
  readonly scheduled: number
  readonly running: number
  /** Tried at least once without success; they will be tried again. */
  readonly retrying: number
  /** Out of tries; a person must decide about them. */
  readonly dead: number
  /** How long the oldest ready job has been due, in seconds; 0 when there is none. */
  readonly lag: number
}

/** Counts the jobs of the whole cluster by state, in one statement. */
export async function countJobs(db: Db): Promise<JobCounts> {
  const { rows } = await sql<JobCounts>`
    select
      count(*) filter (where waits and attempts = 0 and run_at <= now()) as ready,
      count(*) filter (where waits and attempts = 0 and run_at > now()) as scheduled,
      count(*) filter (where not waits) as running,
      count(*) filter (where waits and attempts between 1 and max_attempts - 1) as retrying,
      count(*) filter (where waits and attempts >= max_attempts) as dead,
      coalesce(extract(epoch from now() - min(run_at) filter (where waits and attempts = 0 and run_at <= now())), 0)::float8 as lag
    from (select attempts, max_attempts, run_at, locked_at is null as waits from graphile_worker.jobs) as jobs`.execute(
    db,
  )
  return onlyOne(rows)
}

/** Adds the queue's gauges. Each scrape reads them from the database; they are absent while it is down. */
export function registerJobMetrics(registry: Registry, db: Db): void {
  // Both gauges are collected at the same time, so they share one statement.
  let counting: Promise<JobCounts | undefined> | undefined
  const count = () =>
    (counting ??= countJobs(db)
      .catch(() => undefined)
      .finally(() => (counting = undefined)))
  const lag = new Gauge({
    name: 'forgelet_jobs_lag_seconds',
    help: 'How long the oldest ready job has been due',
    labelNames: [],
    registers: [registry],
    async collect() {
      const counts = await count()
      if (counts === undefined) lag.remove()
      else lag.set(counts.lag)
    },
  })
  const jobs = new Gauge({
    name: 'forgelet_jobs',
    help: 'Background jobs by state: ready, scheduled, running, retrying, dead',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      jobs.reset()
      const counts = await count()
      if (counts === undefined) return
      const { lag: _, ...states } = counts
      for (const [state, number] of Object.entries(states)) jobs.set({ state }, number)
    },
  })
}
