import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { EngineJob } from './rows.ts'

/**
 * Takes changed jobs from the runners that have them, with the tokens of the jobs, unless they still run. The rows of jobs are changed
 * afterwards: a runner that writes to its job locks its row here and none else.
 */
export async function releaseRunners(tx: Tx, jobs: readonly EngineJob[]): Promise<void> {
  const ids = jobs.flatMap(({ id, status, started_at }) =>
    started_at !== null && status !== 'running' && status !== 'canceling' ? [id] : [],
  )
  if (ids.length === 0) return
  await sql`delete from ci_running_jobs where ${isAnyOf('job_id', ids)}`.execute(tx.db)
}
