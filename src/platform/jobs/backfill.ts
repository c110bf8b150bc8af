import { sql } from 'kysely'
import { Type } from 'typebox'
import type { Tx } from '#platform/db/transaction.ts'
import { defineTask, type JobContext, type Task } from './task.ts'

/** What a batch did. */
export interface Batch {
  /** The key of the last row; undefined when there are no rows left. */
  readonly last: number | undefined
  readonly rows: number
}

/**
 * Work on a large table that is too long for a migration. It begins when a migration says
 * `insert into backfills (name) values ('…')`, and goes on, batch by batch, until there are no rows left.
 */
export interface Backfill {
  /** As the migration says it; stays the same for ever. */
  readonly name: string
  /** Rows in a batch: as many as take well below a second. */
  readonly size: number
  /** Does the next rows after a key, in the order of the key. Doing rows twice leaves what doing them once leaves. */
  readonly batch: (tx: Tx, after: number, limit: number) => Promise<Batch>
}

/** Milliseconds after which a run ends and leaves the rest to the next: no job should be long. */
const RUN = 4 * 60_000
/** Milliseconds between two lines of the log. */
const TELL = 10_000

const nothing = Type.Object({})

/** The task that carries backfills on; scheduled every few minutes. Several nodes share the work by turns. */
export function continueBackfills(backfills: readonly Backfill[]): Task<typeof nothing> {
  return defineTask('jobs/continue-backfills', 'long', nothing, async (_, job) => {
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

/** Where a backfill stands. */
interface Progress {
  readonly rows_done: number
  readonly finished: boolean
}

async function carryOn(job: JobContext, backfill: Backfill, until: number): Promise<void> {
  const { clock, log, signal } = job
  let told = clock.now().getTime()
  for (;;) {
    signal.throwIfAborted()
    const progress = await job.transact((tx) => doBatch(tx, backfill))
    // Another node is at it, or has finished it.
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

/** One batch and where it ended, in one transaction: whoever comes next goes on from there. */
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
