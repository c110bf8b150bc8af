import { type Expression, type RawBuilder, sql } from 'kysely'

/** Where PostgreSQL tells of new jobs when their transaction commits. */
export const CHANNEL = 'forgelet_jobs'

interface JobOptions {
  readonly queue?: string | undefined
  readonly runAt?: string | undefined
  readonly maxAttempts?: number | undefined
  readonly priority?: number | undefined
  /** Whether it waits for a later time. Nobody is told about it then: workers look for such jobs by themselves. */
  readonly isLater?: boolean
}

/**
 * SQL that adds a job and tells those workers who do its task. Its value is the id of the job.
 * @param task in SQL, as a value or a literal.
 * @param payload in SQL, of the type json.
 */
export const addedJob = (
  task: Expression<unknown>,
  payload: Expression<unknown>,
  { queue, runAt, maxAttempts, priority, isLater = false }: JobOptions = {},
): RawBuilder<number> => sql<number>`(
  select job.id from graphile_worker.add_job(
    ${task}, ${payload}, queue_name => ${queue ?? null}::text, run_at => ${runAt ?? null}::timestamptz,
    max_attempts => ${maxAttempts ?? null}::integer, priority => ${priority ?? null}::integer) as job${
      isLater ? sql`` : sql`, pg_notify(${sql.lit(CHANNEL)}, job.id || ' ' || ${task})`
    })`

/** The task of a new job, from what is told on the channel: `ID TASK`, different for each job, so that PostgreSQL tells of each. */
export const taskOf = (told: string): string => told.slice(told.indexOf(' ') + 1)
