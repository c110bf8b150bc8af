import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { type Backfill, continueBackfills } from './backfill.ts'
import { jobContext } from './context.ts'
import { enqueue } from './enqueue.ts'
import { startJobs } from './start.ts'
import type { Log } from '#platform/context.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { jobsOn, quick, quiet } from '#test/job-worker.ts'
import { until } from '#test/until.ts'

const ROWS = 1_000

let database: ScratchDatabase

beforeAll(async () => {
  database = await createScratchDatabase()
  await sql`create table measures (id bigint primary key, inches integer, times_done integer not null default 0)`.execute(
    database.db,
  )
  await sql`insert into measures select n * 3, n from generate_series(1, ${ROWS}::integer) as n`.execute(
    database.db,
  )
})
afterEach(async () => {
  await sql`update measures set times_done = 0`.execute(database.db)
  await sql`delete from backfills`.execute(database.db)
})
afterAll(() => database[Symbol.asyncDispose]())

/** Counts in each row how often it was done. */
function measuring(options: Partial<Backfill> & { readonly onBatch?: () => void } = {}): Backfill {
  return {
    name: 'measures.times_done',
    size: 100,
    async batch(tx: Tx, after, limit) {
      options.onBatch?.()
      const { rows } = await sql<{ id: number }>`
        update measures set times_done = times_done + 1 where id in (
          select id from measures where id > ${after} order by id limit ${limit}) returning id`.execute(tx.db)
      return {
        last: rows.length === 0 ? undefined : Math.max(...rows.map(({ id }) => id)),
        rows: rows.length,
      }
    },
    ...options,
  }
}

const begin = () => sql`insert into backfills (name) values ('measures.times_done')`.execute(database.db)

async function run(
  backfill: Backfill,
  { signal = new AbortController().signal, log = quiet } = {},
): Promise<void> {
  const job = jobContext(jobsOn(database.address, log).services(database.db), { attempt: 1, signal })
  await continueBackfills([backfill]).execute({}, job)
}

/** How often rows were done, and what the table says of the work. */
async function state() {
  const { rows } = await sql`select min(times_done), max(times_done) from measures`.execute(database.db)
  const { rows: progress } = await sql`
    select position, rows_done, finished_at is not null as finished from backfills`.execute(database.db)
  return { ...Object(rows[0]), progress: progress[0] }
}

const done = { min: 1, max: 1, progress: { position: ROWS * 3, rows_done: ROWS, finished: true } }

describe('a backfill', () => {
  it('does nothing until a migration has begun it', async () => {
    await run(measuring())
    expect(await state()).toEqual({ min: 0, max: 0, progress: undefined })
  })

  it('does every row once, and tells how far it is in its row and in the log', async () => {
    await begin()
    const lines: unknown[] = []
    const log: Log = { ...quiet, info: (details) => void lines.push(details) }
    await run(measuring(), { log })
    expect(await state()).toEqual(done)
    expect(lines).toEqual([{ backfill: 'measures.times_done', rows: ROWS, finished: true }])
    await run(measuring())
    expect(await state()).toEqual(done)
  })

  it('goes on where it was when the process stopped or a batch failed', async () => {
    await begin()
    const stopping = new AbortController()
    let batches = 0
    const stopAt = (last: number) => () => {
      if ((batches += 1) === last) stopping.abort(new Error('stopping'))
    }
    await expect(run(measuring({ onBatch: stopAt(3) }), { signal: stopping.signal })).rejects.toThrow(
      'stopping',
    )
    expect(await state()).toMatchObject({
      min: 0,
      progress: { position: 900, rows_done: 300, finished: false },
    })
    const failing = measuring({
      batch: async (tx, after, limit) => {
        const did = await measuring().batch(tx, after, limit)
        if (after > 1_000) throw new Error('unreadable')
        return did
      },
    })
    await expect(run(failing)).rejects.toThrow('unreadable')
    expect(await state()).toMatchObject({ progress: { rows_done: 400, finished: false } })
    await run(measuring())
    expect(await state()).toEqual(done)
  })

  it('is done once when several nodes are at it', async () => {
    await begin()
    await Promise.all(Array.from({ length: 4 }, () => run(measuring({ size: 7 }))))
    await run(measuring())
    expect(await state()).toEqual(done)
  })

  it('is carried on by the workers', async () => {
    await begin()
    const task = continueBackfills([measuring()])
    const source = jobsOn(database.address).services(database.db)
    await transact(source, { author: null, ip: null }, (tx) => enqueue(tx, task, {}))
    const jobs = await startJobs({ ...jobsOn(database.address), ...quick, tasks: [task] })
    try {
      await until(async () => expect(await state()).toEqual(done))
    } finally {
      await jobs.stop()
    }
  })
})
