import { setTimeout as pause } from 'node:timers/promises'
import { type RawBuilder, sql } from 'kysely'
import { DatabaseError } from 'pg'
import type { Db } from '#platform/db/pool.ts'
import type { JobContext } from '#platform/jobs/task.ts'

/** A table with partitions by month. */
export type Partitioned = 'facts' | 'audit_events' | 'events' | 'error_events' | 'error_hours'

/** Months for which partitions exist in advance. Rows must find one even if this job fails for weeks. */
const AHEAD = 2

/** Milliseconds that a change of partitions waits for its lock. All later statements wait behind it as long. */
const LOCK_TIMEOUT = 500
/** How often it tries, and the milliseconds between tries. */
const TRIES = 60
const BETWEEN_TRIES = 1_000
/** PostgreSQL's `lock_not_available` and `deadlock_detected`. */
const IN_THE_WAY = new Set<string | undefined>(['55P03', '40P01'])

/** Rows in a transaction. */
const ROWS_PER_TRANSACTION = 5_000

/** Makes the partitions of a table for this month and the next ones. @returns the names of the new ones. */
export async function makePartitions(job: JobContext, table: Partitioned): Promise<string[]> {
  const { rows } = await briefly<{ name: string }>(
    job,
    sql`select name from make_partitions(${table}::text, ${AHEAD}::integer) as name`,
  )
  return rows.map(({ name }) => name)
}

/**
 * Drops the partitions in which every row is older than this many days.
 *
 * It first detaches a partition, which locks the whole table for an instant, and drops it afterwards, when no
 * statement reads it. PostgreSQL detaches concurrently only without a default partition, and without a default
 * partition it would refuse rows for which no partition was made.
 *
 * @returns the names of the dropped ones.
 */
export async function dropPartitions(job: JobContext, table: Partitioned, days: number): Promise<string[]> {
  const due = await partitionsBefore(job.db, table, days)
  for (const name of due) {
    job.signal.throwIfAborted()
    await briefly(job, sql`alter table ${sql.table(table)} detach partition ${partition(name)}`)
  }
  // Includes those of an interrupted run.
  const detached = await detachedFrom(job.db, table)
  for (const name of detached) await briefly(job, sql`drop table if exists ${partition(name)}`)
  return detached
}

/**
 * Deletes the rows in the default partition that are older than this many days. They arrived while there was no
 * partition for them.
 */
export async function emptyDefault(job: JobContext, table: Partitioned, days: number): Promise<void> {
  const rest = partition(`${table}_default`)
  let deleted: bigint
  do {
    job.signal.throwIfAborted()
    const { numAffectedRows = 0n } = await sql`
      delete from ${rest} where ctid = any(array(
        select ctid from ${rest} where recorded_at < now() - make_interval(days => ${days}::integer) limit ${ROWS_PER_TRANSACTION}))`.execute(
      job.db,
    )
    deleted = numAffectedRows
  } while (deleted > 0n)
}

const partition = (name: string): RawBuilder<unknown> => sql.table(`partitions.${name}`)

async function partitionsBefore(db: Db, table: Partitioned, days: number): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name
    from pg_inherits h join pg_class c on c.oid = h.inhrelid
      cross join lateral substring(pg_get_expr(c.relpartbound, c.oid) from $$TO \\('([^']+)'\\)$$) as bound (ends)
    where h.inhparent = ${table}::text::regclass
      and bound.ends::timestamptz <= now() - make_interval(days => ${days}::integer)
    order by bound.ends::timestamptz`.execute(db)
  return rows.map(({ name }) => name)
}

async function detachedFrom(db: Db, table: Partitioned): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = 'partitions'::regnamespace and relkind = 'r' and not relispartition
      and relname ~ ${`^${table}_(past|\\d{4}_\\d{2})$`}
    order by relname`.execute(db)
  return rows.map(({ name }) => name)
}

/** Runs a statement that locks a table, and gives up for a moment when the lock is not free. */
async function briefly<Row>(job: JobContext, statement: RawBuilder<Row>) {
  for (let tries = 1; ; tries += 1) {
    try {
      return await job.transact(async (tx) => {
        await sql`set local lock_timeout = ${sql.lit(LOCK_TIMEOUT)}`.execute(tx.db)
        return statement.execute(tx.db)
      })
    } catch (error) {
      const waited = error instanceof DatabaseError && IN_THE_WAY.has(error.code)
      if (!waited || tries === TRIES) throw error
      await pause(BETWEEN_TRIES, undefined, { signal: job.signal })
    }
  }
}
