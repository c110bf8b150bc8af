import { sql } from 'kysely'
import type pg from 'pg'
import { Type } from 'typebox'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { openPool } from '#platform/db/pool.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { Arrivals } from './arrivals.ts'
import { enqueue } from './enqueue.ts'
import { type Jobs, startJobs } from './start.ts'
import { defineTask, type JobContext, type QueueServices } from './task.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { jobsOn, note, noteRun, quick } from '#test/job-worker.ts'
import { until } from '#test/until.ts'

let database: ScratchDatabase
let jobs: Jobs | undefined

beforeAll(async () => {
  database = await createScratchDatabase()
})
afterEach(async () => {
  await jobs?.stop()
  jobs = undefined
  await sql`delete from settings`.execute(database.db)
  await sql`delete from graphile_worker._private_jobs`.execute(database.db)
})
afterAll(() => database[Symbol.asyncDispose]())

const long = defineTask(
  'test/long',
  'long',
  Type.Object({ name: Type.String() }),
  ({ name }, job: JobContext<QueueServices>) => note(job, name),
)

function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const source = { db: database.db, clock: systemClock, random: systemRandomness }
  return transact(source, { author: null, ip: null }, work)
}

async function names(): Promise<string[]> {
  const { rows } = await sql<{
    name: string
  }>`select value ->> 'name' as name from settings order by 1`.execute(database.db)
  return rows.map(({ name }) => name)
}

/** Workers that would look for jobs by themselves only after the test. */
const patient = () =>
  startJobs({ ...jobsOn(database.address), ...quick, pollInterval: 600_000, tasks: [noteRun, long] })

it('brings jobs of each lane to its workers at once, also several of one transaction', async () => {
  jobs = await patient()
  await write(async (tx) => {
    for (const name of ['a', 'b', 'c']) await enqueue(tx, noteRun, { name })
    await enqueue(tx, long, { name: 'd' })
  })
  await until(async () => expect(await names()).toEqual(['a', 'b', 'c', 'd']))
})

it('listens again when its connection was lost', async () => {
  jobs = await patient()
  await write((tx) => enqueue(tx, noteRun, { name: 'before' }))
  await until(async () => expect(await names()).toEqual(['before']))
  const listening = sql<{ pid: number }>`
    select pid from pg_stat_activity where datname = current_database() and query like 'listen %'`
  const { rows } = await listening.execute(database.db)
  expect(rows).toHaveLength(1)
  await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(database.db)
  await until(async () => {
    const now = await listening.execute(database.db)
    expect(now.rows).toHaveLength(1)
    expect(now.rows[0]?.pid).not.toBe(rows[0]?.pid)
  })
  await write((tx) => enqueue(tx, long, { name: 'later' }))
  await until(async () => expect(await names()).toEqual(['before', 'later']))
})

/** Hears of jobs of `tasks` by `onJob` until what it answers with is called. */
const hear = (arrivals: Arrivals, tasks: readonly string[], onJob: () => void) =>
  new Promise<() => void>((resolve, reject) => {
    arrivals.listen(
      (task) => tasks.includes(task),
      (error, hearer, release) => {
        if (hearer === undefined) return reject(error ?? new Error('nothing to hear by'))
        hearer.on('notification', onJob)
        resolve(release)
      },
    )
  })

it('tells workers of no jobs but their own, nor of those that wait for a later time', async () => {
  const pool = openPool(database.address, 2, { pipeline: false })
  const arrivals = new Arrivals(pool)
  const heard: string[] = []
  const released = await Promise.all([
    hear(arrivals, ['test/note'], () => heard.push('short')),
    hear(arrivals, ['test/long'], () => heard.push('long')),
  ])
  await write((tx) => enqueue(tx, noteRun, { name: 'later' }, { runAt: '2999-01-01T00:00:00.000Z' }))
  await write((tx) => enqueue(tx, noteRun, { name: 'one' }))
  await write((tx) => enqueue(tx, long, { name: 'two' }))
  await until(async () => expect(heard).toEqual(['short', 'long']))
  for (const release of released) release()
  await until(async () => expect(pool.totalCount).toBe(0))
  await pool.end()
})

it('ends its connection once, also when the server says while it leaves that it ended it', async () => {
  const pool = openPool(database.address, 2, { pipeline: false })
  const connected = Promise.withResolvers<pg.PoolClient>()
  pool.once('connect', (client) => connected.resolve(client))
  const release = await hear(new Arrivals(pool), ['test/note'], () => {})
  const client = await connected.promise
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  const failures: Error[] = []
  client.on('error', (error) => failures.push(error))

  // What the server says of the end waits in the socket until the workers have left.
  client.connection.stream.pause()
  await sql`select pg_terminate_backend(${rows[0]?.pid}, 5000)`.execute(database.db)
  release()
  client.connection.stream.resume()

  await until(() =>
    expect(failures.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('administrator command'),
    ),
  )
  await until(() => expect(pool.totalCount).toBe(0))
  await pool.end()
})
