import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { listIn, recordIn } from '../config/json.ts'
import type { Json } from '../config/values.ts'
import type { JobChange } from './change-of-job.ts'
import { toStart } from './follow-up.ts'
import type { EngineJob } from './rows.ts'

/** A job that fails, and why. */
interface Failing {
  readonly job: EngineJob
  readonly change: JobChange
}

/**
 * Finds the failing jobs that run again by themselves, as `retry` of the configuration says.
 * @returns the status that each new run begins with, by the id of the job
 */
export async function automaticRetries(tx: Tx, failing: readonly Failing[]): Promise<Map<number, CiStatus>> {
  if (failing.length === 0) return new Map()
  const ids = failing.map(({ job }) => job.id)
  const { rows } = await sql<{ id: number; retry: Json; before: number }>`
    select j.id, d.definition #> '{options,retry}' as retry,
        (select count(*) from ci_jobs b where b.pipeline_id = j.pipeline_id and b.name = j.name and b.retried) as before
      from ci_jobs j join ci_job_definitions d on d.id = j.definition_id
      where ${isAnyOf('j.id', ids)} and d.definition #> '{options,retry}' is not null`.execute(tx.db)
  const wanted = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    failing.flatMap(({ job, change }): [number, CiStatus][] => {
      const row = wanted.get(job.id)
      return row !== undefined && runsAgain(row.retry, row.before, change) ? [[job.id, toStart(job)]] : []
    }),
  )
}

function runsAgain(retry: Json, before: number, { failureReason, exitCode }: JobChange): boolean {
  const { max, when, exit_codes: codes } = typeof retry === 'number' ? { max: retry } : recordIn(retry)
  if (typeof max === 'number' && before >= max) return false
  if (max === undefined && before >= MOST) return false
  if (when === undefined && codes === undefined) return true
  const reasons = listIn(when)
  return (
    reasons.includes('always') ||
    reasons.includes(failureReason ?? 'unknown_failure') ||
    (exitCode !== undefined && listIn(codes).includes(exitCode))
  )
}

/** Where the configuration says when, and not how often. */
const MOST = 2
