import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { enqueue } from './enqueue.ts'
import { Heartbeat } from './heartbeat.ts'
import { countJobs } from './metrics.ts'
import { daily } from './schedule.ts'
import { type Jobs, type JobsOptions, startJobs } from './start.ts'
import { defineTask, type JobContext, type QueueServices } from './task.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { jobsOn, note, noteRun, quick, quiet, tick } from '#test/job-worker.ts'
import { until } from '#test/until.ts'

let database: ScratchDatabase
const started: Jobs[] = []
/** What lets jobs end that a test keeps, also when the test fails. */
const releases: (() => void)[] = []

beforeAll(async () => {
  database = await createScratchDatabase()
})
afterEach(async () => {
  for (const release of releases.splice(0)) release()
  await Promise.all(started.splice(0).map((jobs) => jobs.stop()))
  await sql`delete from settings`.execute(database.db)
  await sql`delete from graphile_worker._private_jobs`.execute(database.db)
})
afterAll(() => database[Symbol.asyncDispose]())

async function start(options: Partial<JobsOptions<QueueServices>> = {}): Promise<Jobs> {
  const jobs = await startJobs({ ...jobsOn(database.address), ...quick, tasks: [noteRun], ...options })
  started.push(jobs)
  return jobs
}

function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const source = { db: database.db, clock: systemClock, random: systemRandomness }
  return transact(source, { author: null, ip: null }, work)
}

interface Run {
  name: string
  pid: number
  attempt: number
}

async function runs(): Promise<Run[]> {
  const { rows } = await sql<{ value: Run }>`select value from settings order by updated_at, name`.execute(
    database.db,
  )
  return rows.map(({ value }) => value)
}

describe('a job', () => {
  it('runs once its transaction has committed, with a checked payload', async () => {
    await start()
    await write((tx) => enqueue(tx, noteRun, { name: 'committed' }))
    await until(async () => expect(await runs()).toMatchObject([{ name: 'committed', attempt: 1 }]))
    await until(async () => expect(await countJobs(database.db)).toMatchObject({ running: 0, ready: 0 }))
  })

  it('does not exist when its transaction is undone', async () => {
    const undone = write(async (tx) => {
      await enqueue(tx, noteRun, { name: 'undone' })
      throw new Error('no')
    })
    await expect(undone).rejects.toThrow('no')
    expect(await countJobs(database.db)).toMatchObject({ ready: 0 })
  })

  it('fails, saying why, when its payload is not what the task takes', async () => {
    await start()
    await write((tx) => sql`select graphile_worker.add_job('test/note', '{"name": 7}')`.execute(tx.db))
    await until(async () => {
      const { rows } = await sql`select last_error, attempts from graphile_worker.jobs`.execute(database.db)
      expect(rows).toEqual([{ last_error: 'Payload of test/note: /name must be string', attempts: 1 }])
    })
    expect(await runs()).toEqual([])
  })

  it('keeps its worker for longer than the dead are waited for', async () => {
    const slow = defineTask(
      'test/slow',
      'short',
      Type.Object({}),
      async (_, job: JobContext<QueueServices>) => {
        await note(job, 'slow')
        await setTimeout(4_500)
      },
    )
    // Longer than a busy machine keeps a beat waiting.
    const others = { tasks: [slow], deadAfter: 2_000, heartbeat: 100 }
    await Promise.all([start(others), start(others)])
    await write((tx) => enqueue(tx, slow, {}))
    await until(async () => expect(await runs()).toHaveLength(1))
    await until(async () => expect(await countJobs(database.db)).toMatchObject({ running: 0, retrying: 0 }))
    expect(await runs()).toHaveLength(1)
  })
})

/** What PostgreSQL knows of the connection that a job works with. */
const connection = Type.Object({ name: Type.String() })
async function noteConnection(job: JobContext<QueueServices>): Promise<void> {
  const { rows } = await sql<{ told: string }>`
    select concat_ws(', ', current_setting('application_name'), current_setting('statement_timeout'),
      current_setting('idle_in_transaction_session_timeout')) as told`.execute(job.db)
  await note(job, rows[0]?.told ?? '')
}

describe('lanes', () => {
  it('have connections of their own, with their limits', async () => {
    const short = defineTask('test/short', 'short', connection, (_, job: JobContext<QueueServices>) =>
      noteConnection(job),
    )
    const long = defineTask('test/long', 'long', connection, (_, job: JobContext<QueueServices>) =>
      noteConnection(job),
    )
    await start({ tasks: [short, long] })
    await write(async (tx) => {
      await enqueue(tx, short, { name: 'x' })
      await enqueue(tx, long, { name: 'x' })
    })
    await until(async () => expect(await runs()).toHaveLength(2))
    expect((await runs()).map(({ name }) => name).toSorted()).toEqual([
      'forgelet long jobs, 5min, 1min',
      'forgelet short jobs, 30s, 30s',
    ])
  })

  it('do not wait for each other: short jobs run however many long ones are under way', async () => {
    const finish = Promise.withResolvers<void>()
    const long = defineTask(
      'test/long',
      'long',
      Type.Object({}),
      async (_, job: JobContext<QueueServices>) => {
        await job.transact(async (tx) => {
          await sql`select 1`.execute(tx.db)
          await finish.promise
        })
      },
    )
    await start({ tasks: [long, noteRun] })
    releases.push(() => finish.resolve())
    await write(async (tx) => {
      for (let count = 0; count < 20; count += 1) await enqueue(tx, long, {})
    })
    await until(async () => expect(await countJobs(database.db)).toMatchObject({ running: 2, ready: 18 }))
    await write((tx) => enqueue(tx, noteRun, { name: 'short' }))
    await until(async () => expect(await runs()).toMatchObject([{ name: 'short', attempt: 1 }]))
    await until(async () => expect(await countJobs(database.db)).toMatchObject({ running: 2, ready: 18 }))
    finish.resolve()
    await until(async () => expect(await countJobs(database.db)).toMatchObject({ running: 0, ready: 0 }))
  })

  it('are named by every task', () => {
    // @ts-expect-error -- a task without a lane does not compile
    expect(() => defineTask('test/nowhere', Type.Object({}), async () => {})).not.toThrow()
  })
})

describe('stopping', () => {
  it('waits for a running job', async () => {
    const finish = Promise.withResolvers<void>()
    const waits = defineTask(
      'test/waits',
      'short',
      Type.Object({}),
      async (_, job: JobContext<QueueServices>) => {
        await note(job, 'began')
        await finish.promise
        await note(job, 'ended')
      },
    )
    const jobs = await start({ tasks: [waits] })
    await write((tx) => enqueue(tx, waits, {}))
    await until(async () => expect(await runs()).toHaveLength(1))
    const stopped = jobs.stop()
    finish.resolve()
    await stopped
    expect((await runs()).map(({ name }) => name)).toEqual(['began', 'ended'])
    expect(await countJobs(database.db)).toMatchObject({ running: 0, ready: 0, retrying: 0 })
    expect(await database.db.selectFrom('job_workers').select('id').execute()).toEqual([])
  })

  it('leaves no worker registered by a heartbeat that was under way', async () => {
    const options = { db: database.db, log: quiet, interval: 0, deadAfter: 3_600_000 }
    for (let round = 0; round < 30; round += 1) {
      const heartbeat = new Heartbeat(options)
      await heartbeat.join(`round ${round}`)
      await setTimeout(round % 4)
      heartbeat.leave(`round ${round}`)
      await heartbeat.stop()
    }
    expect(await database.db.selectFrom('job_workers').select('id').execute()).toEqual([])
  })

  it('gives up a job that takes too long, which runs elsewhere at once', async () => {
    const finish = Promise.withResolvers<void>()
    const hangs = defineTask(
      'test/hangs',
      'short',
      Type.Object({}),
      async (_, job: JobContext<QueueServices>) => {
        await note(job, 'began')
        if (job.attempt === 1) await finish.promise
      },
    )
    const first = await start({ tasks: [hangs], drain: 100 })
    await write((tx) => enqueue(tx, hangs, {}))
    await until(async () => expect(await runs()).toHaveLength(1))
    await first.stop()
    await start({ tasks: [hangs], deadAfter: 3_600_000 })
    await until(async () => expect((await runs()).map(({ attempt }) => attempt)).toEqual([1, 2]))
    finish.resolve()
  })
})

describe('stopping in the middle of a statement', () => {
  it('cuts the connection off, so that the process ends', async () => {
    const sleeps = defineTask(
      'test/sleeps',
      'long',
      Type.Object({}),
      async (_, job: JobContext<QueueServices>) => {
        await note(job, 'began')
        if (job.attempt === 1) await sql`select pg_sleep(60)`.execute(job.db)
      },
    )
    const first = await start({ tasks: [sleeps], drain: 100 })
    await write((tx) => enqueue(tx, sleeps, {}))
    await until(async () => expect(await runs()).toHaveLength(1))
    await first.stop()
    await start({ tasks: [sleeps], deadAfter: 3_600_000 })
    await until(async () => expect((await runs()).map(({ attempt }) => attempt)).toEqual([1, 2]))
  })
})

describe('when the database goes away and comes back', () => {
  it('takes jobs again, and runs again what it could not note as done', async () => {
    const finish = Promise.withResolvers<void>()
    const slow = defineTask(
      'test/slow',
      'short',
      Type.Object({}),
      async (_, job: JobContext<QueueServices>) => {
        await note(job, 'slow')
        await finish.promise
      },
    )
    const jobs = await start({ tasks: [slow, noteRun] })
    await write((tx) => enqueue(tx, slow, {}))
    await until(async () => expect(await runs()).toHaveLength(1))

    const reopen = await database.outage()
    finish.resolve()
    await until(() => expect(jobs.running()).toBe(false))
    await reopen()

    await write((tx) => enqueue(tx, noteRun, { name: 'after' }))
    await until(async () => {
      const names = (await runs()).map(({ name, attempt }) => `${name} ${attempt}`).toSorted()
      expect(names).toEqual(['after 1', 'slow 1', 'slow 2'])
    })
    expect(jobs.running()).toBe(true)
  })

  it('takes jobs again also when it had nothing to do meanwhile', async () => {
    const jobs = await start()
    const reopen = await database.outage()
    await until(() => expect(jobs.running()).toBe(false))
    await reopen()
    await write((tx) => enqueue(tx, noteRun, { name: 'after' }))
    await until(async () => expect(await runs()).toMatchObject([{ name: 'after' }]))
  })
})

describe('the schedule', () => {
  it('catches up on a day whose time passed while nothing ran', async () => {
    const now = new Date(Date.now() - 2 * 60_000)
    const schedule = [daily(`${now.getUTCHours()}:${now.getUTCMinutes()}`, tick, {})]
    const [item] = schedule
    await sql`
      insert into graphile_worker._private_known_crontabs (identifier, known_since)
      values (${`test/tick ${item?.cron}`}, now() - interval '3 days')`.execute(database.db)
    await start({ tasks: [tick], schedule })
    await until(async () => expect(await runs()).toMatchObject([{ name: 'tick' }]))
  })

  it('refuses what this process cannot run', async () => {
    await expect(start({ schedule: [daily('3:15', tick, {})] })).rejects.toThrow('test/tick is scheduled')
  })
})
