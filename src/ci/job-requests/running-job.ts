import { sql } from 'kysely'
import { digestOf } from '#platform/access/digest.ts'
import type { CiStatus } from '#platform/db/schema.ts'
import type { Db } from '#platform/db/pool.ts'
import { notFound } from '#platform/refusals.ts'
import { aboutJob, refused } from './errors.ts'

/** A job of which somebody has shown the token while it runs. */
export interface RunningJob {
  readonly id: number
  readonly token: string
  readonly status: CiStatus
  readonly runner_id: number
  readonly runner_manager_id: number | null
  /** When its runner was heard of, as its row says it: once a minute. */
  readonly noted_at: string | null
  readonly ending_since: string | null
}

/**
 * A running job by its token.
 * @throws 404 where there is no such job; 403 for another token, and for a job that has ended: its runner is told how
 */
export async function findRunningJob(db: Db, id: number, token: string | undefined): Promise<RunningJob> {
  const found = await db
    .selectFrom('ci_jobs as j')
    .leftJoin('ci_running_jobs as r', 'r.job_id', 'j.id')
    .leftJoin('ci_runners as u', 'u.id', 'r.runner_id')
    .select(['j.id', 'j.status', 'j.token_digest', 'r.runner_id', 'r.runner_manager_id', 'r.ending_since'])
    .select(['r.token_digest as running_digest', 'u.contacted_at as noted_at'])
    .where('j.id', '=', id)
    .where('j.bridge', '=', false)
    .executeTakeFirst()
  if (found === undefined) throw notFound()
  const { token_digest, running_digest, runner_id, ...job } = found
  if (token === undefined) throw wrongToken()
  const digest = digestOf(token)
  if (running_digest?.equals(digest) === true && runner_id !== null) return { ...job, runner_id, token }
  if (token_digest?.equals(digest) !== true) throw wrongToken()
  throw hasEnded(job.status)
}

const wrongToken = () => refused(403, '403 Forbidden')

/** The job is not its runner's any more. */
export const hasEnded = (status: CiStatus) =>
  refused(403, `403 Forbidden - the job is not running: it is ${status}`, aboutJob(status))

/** The status of a job as it is now. */
export async function statusOf(db: Db, id: number): Promise<CiStatus> {
  const { rows } = await sql<{ status: CiStatus }>`select status from ci_jobs where id = ${id}`.execute(db)
  const [row] = rows
  if (row === undefined) throw notFound()
  return row.status
}
