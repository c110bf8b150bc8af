import { sql } from 'kysely'
import { Gauge } from 'prom-client'
import type { Db } from '#platform/db/pool.ts'
import type { MetricsRegister } from '#platform/metrics.ts'
import { onlyOne } from '#platform/sequences.ts'
import type { Readers } from '../config/reader/readers.ts'

/** Jobs that wait for a runner or run. */
export interface UnfinishedJobs {
  readonly pending: number
  readonly running: number
  /** For how many seconds the oldest job has waited; 0 when none does. */
  readonly waited: number
}

/** Beyond this many nobody counts on. */
const MOST = 100_000

/** Counts the jobs of all projects that wait or run, up to 100,000 of each. Partial indexes have no others. */
export async function countUnfinishedJobs(db: Db): Promise<UnfinishedJobs> {
  const { rows } = await sql<UnfinishedJobs>`
    select
      (select count(*) from (select id from ci_jobs where status = 'pending' and not bridge limit ${MOST}) as pending) as pending,
      (select count(*) from (
        select id from ci_jobs where status in ('running', 'canceling') and not bridge limit ${MOST}) as running) as running,
      coalesce((
        select extract(epoch from now() - queued_at)::float8 from ci_jobs
        where status = 'pending' and not bridge order by queued_at, id limit 1), 0) as waited`.execute(db)
  return onlyOne(rows)
}

const JOBS = 'forgelet_ci_jobs'

/** Adds metrics of jobs and of the processes that read configurations. Each scrape reads the jobs that are not finished. */
export function registerCiMetrics(
  metrics: MetricsRegister,
  { db, configurationReaders }: { readonly db: Db; readonly configurationReaders: Readers },
): void {
  metrics.register((registry) => {
    // A second application on the same services has them already.
    if (registry.getSingleMetric(JOBS) !== undefined) return
    const registers = [registry]
    // Both are collected at the same time, so they share one statement.
    let counting: Promise<UnfinishedJobs | undefined> | undefined
    const count = () =>
      (counting ??= countUnfinishedJobs(db)
        .catch(() => undefined)
        .finally(() => (counting = undefined)))
    const jobs = new Gauge({
      name: JOBS,
      help: 'Jobs of pipelines that wait for a runner (pending) or run (running)',
      labelNames: ['state'],
      registers,
      async collect() {
        const counts = await count()
        jobs.reset()
        if (counts === undefined) return
        jobs.set({ state: 'pending' }, counts.pending)
        jobs.set({ state: 'running' }, counts.running)
      },
    })
    const waited = new Gauge({
      name: 'forgelet_ci_oldest_pending_job_seconds',
      help: 'How long the oldest job of a pipeline has waited for a runner',
      labelNames: [],
      registers,
      async collect() {
        const counts = await count()
        if (counts === undefined) waited.remove()
        else waited.set(counts.waited)
      },
    })
    const readings = new Gauge({
      name: 'forgelet_ci_configurations',
      help: 'Configurations of pipelines that are being read (running), and those that wait for a process (waiting)',
      labelNames: ['state'],
      registers,
      collect: () => {
        const { running, waiting } = configurationReaders.usage
        readings.set({ state: 'running' }, running)
        readings.set({ state: 'waiting' }, waiting)
      },
    })
  })
}
