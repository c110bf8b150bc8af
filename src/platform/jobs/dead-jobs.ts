import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { CHANNEL } from './added-job.ts'

/** A job that is out of tries. Its payload stays where it is: it may hold what nobody should read. */
export interface DeadJob {
  readonly id: number
  readonly task: string
  readonly attempts: number
  readonly last_error: string | null
  readonly created_at: string
  readonly failed_at: string
}

/** Characters of an error that are read. */
const MOST_OF_ERROR = 1_000

const isDead = sql`locked_at is null and attempts >= max_attempts`

/** The jobs of the whole cluster that are out of tries. */
export const deadJobs = (db: Db) =>
  db
    .selectFrom(
      sql<DeadJob>`(
        select id, task_identifier as task, attempts, left(last_error, ${sql.lit(MOST_OF_ERROR)}) as last_error,
          created_at, updated_at as failed_at
        from graphile_worker.jobs where ${isDead})`.as('j'),
    )
    .select(['j.id', 'j.task', 'j.attempts', 'j.last_error', 'j.created_at', 'j.failed_at'])

/** Gives a dead job all its tries again, at once. @returns whether it was one */
export const retryDeadJob = async (tx: Tx, id: number): Promise<boolean> =>
  (await retry(tx, sql`select id from graphile_worker.jobs where id = ${id} and ${isDead}`)) > 0

/** The same for some of them, the oldest first. @returns how many */
export const retryDeadJobs = (tx: Tx, most: number): Promise<number> =>
  retry(tx, sql`select id from graphile_worker.jobs where ${isDead} order by id limit ${most}`)

async function retry({ db }: Tx, chosen: ReturnType<typeof sql>): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    with again as materialized (
      select id from graphile_worker.reschedule_jobs(array(${chosen}), run_at => now(), attempts => 0))
    select j.id from graphile_worker.jobs j join again on again.id = j.id,
      pg_notify(${CHANNEL}, j.id || ' ' || j.task_identifier)`.execute(db)
  return rows.length
}
