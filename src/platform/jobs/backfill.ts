import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { defineTask, type JobContext, type QueueServices, type Task } from './task.ts'

/** The result of a batch. */
export interface Batch {
  /** The key of the last row; undefined when there are no rows left. */
  readonly last: number | undefined
  readonly rows: number
}

/**
 * Work on a large table that takes too long for a migration. It begins when a migration runs `insert into backfills
 * (name) values ('…')`, and continues, batch by batch, until there are no rows left.
 */
export interface Backfill {
  /** The name that the migration inserts; it never changes. */
  readonly name: string
  /** Rows in a batch: as many as take well below a second. */
  readonly size: number
  /** Processes the next rows after a key, in the order of the key. It must be idempotent. */
  readonly batch: (tx: Tx, after: number, limit: number) => Promise<Batch>
}

/** Milliseconds after which a run ends and leaves the rest to the next run: no job should be long. */
const RUN = 4 * 60_000
/** Milliseconds between two lines of the log. */
const TELL = 10_000

const nothing = Type.Object({})

/** The task that continues backfills; scheduled every few minutes. Several nodes take turns. */
export function continueBackfills(backfills: readonly Backfill[]): Task<typeof nothing, QueueServices> {
  return defineTask('jobs/continue-backfills', 'long', nothing, async (_, job: JobContext<QueueServices>) => {
    const names = backfills.map(({ name }) => name)
    if (names.length === 0) return
    const unfinished = await job.db
      .selectFrom('backfills')
      .select('name')
      .where('finished_at', 'is', null)
      .where('name', 'in', names)
      .execute()
    const due = new Set(unfinished.map(({ name }) => name))
    const until = job.clock.now().getTime() + RUN
    for (const backfill of backfills) if (due.has(backfill.name)) await carryOn(job, backfill, until)
  })
}

/** The progress of a backfill. */
interface Progress {
  readonly rows_done: number
  readonly finished: boolean
}

async function carryOn(job: JobContext<QueueServices>, backfill: Backfill, until: number): Promise<void> {
  const { clock, log, signal } = job
  let told = clock.now().getTime()
  for (;;) {
    signal.throwIfAborted()
    const progress = await job.transact((tx) => doBatch(tx, backfill))
    // Another node is running it, or has finished it.
    if (progress === undefined) return
    const now = clock.now().getTime()
    const over = progress.finished || now >= until
    if (over || now - told >= TELL) {
      told = now
      const { rows_done: rows, finished } = progress
      log.info({ backfill: backfill.name, rows, finished }, 'backfill')
    }
    if (over) return
  }
}

/** Runs one batch and records where it ended, in one transaction, so that the next batch continues there. */
async function doBatch(tx: Tx, { name, size, batch }: Backfill): Promise<Progress | undefined> {
  const row = await tx.db
    .selectFrom('backfills')
    .select('position')
    .where('name', '=', name)
    .where('finished_at', 'is', null)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { last, rows } = await batch(tx, row.position, size)
  const finished = last === undefined
  const set = await tx.db
    .updateTable('backfills')
    .set({
      position: last ?? row.position,
      rows_done: sql<number>`rows_done + ${rows}`,
      updated_at: sql<string>`clock_timestamp()`,
      finished_at: finished ? sql<string>`clock_timestamp()` : null,
    })
    .where('name', '=', name)
    .returning('rows_done')
    .executeTakeFirstOrThrow()
  return { rows_done: set.rows_done, finished }
}
