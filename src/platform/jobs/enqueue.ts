import { sql } from 'kysely'
import type { Static, TObject } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import type { Task } from './task.ts'

export interface EnqueueOptions {
  /** ISO 8601; by default at once. */
  readonly runAt?: string
  /** Jobs of the same queue run one after the other, in the whole cluster. Use few names and no ids. */
  readonly queue?: string
  /** Lower runs first; by default 0. */
  readonly priority?: number
  /** How often it is tried before it counts as dead; by default 25 times (over about two days). */
  readonly maxAttempts?: number
}

/**
 * Adds a job that exists if and only if the transaction commits. The commit notifies the workers.
 *
 * @returns the job's id.
 */
export async function enqueue<P extends TObject>(
  tx: Tx,
  task: Pick<Task<P>, 'name' | 'payload'>,
  payload: Static<P>,
  { runAt, queue, priority, maxAttempts }: EnqueueOptions = {},
): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    select id from graphile_worker.add_job(
      ${task.name}, ${JSON.stringify(payload)}::json, queue_name => ${queue ?? null}::text,
      run_at => ${runAt ?? null}::timestamptz, max_attempts => ${maxAttempts ?? null}::integer,
      priority => ${priority ?? null}::integer)`.execute(tx.db)
  const [job] = rows
  if (job === undefined) throw new Error(`No job was added for ${task.name}`)
  return job.id
}
