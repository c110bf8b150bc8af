import { sql } from 'kysely'
import type { Static, TObject } from 'typebox'
import { storableJson } from '#platform/db/json.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { addedJob } from './added-job.ts'
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
  options: EnqueueOptions = {},
): Promise<number> {
  const isLater = options.runAt !== undefined && Date.parse(options.runAt) > Date.parse(tx.now)
  const job = addedJob(sql`${task.name}::text`, sql`${storableJson(payload)}::json`, {
    ...options,
    isLater,
  })
  const { rows } = await sql<{ id: number }>`select ${job} as id`.execute(tx.db)
  const [added] = rows
  if (added === undefined) throw new Error(`No job was added for ${task.name}`)
  return added.id
}
