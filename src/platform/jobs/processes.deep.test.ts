import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { transact } from '#platform/db/transaction.ts'
import { enqueue } from './enqueue.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { alone, noteRun, quick } from '#test/job-worker.ts'
import { until } from '#test/until.ts'

// Real processes, killed for real.

let database: ScratchDatabase
const processes: ChildProcess[] = []

beforeAll(async () => {
  database = await createScratchDatabase()
})
afterEach(() => {
  for (const child of processes.splice(0)) child.kill('SIGKILL')
})
afterAll(() => database[Symbol.asyncDispose]())

async function startWorker(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, [fileURLToPath(import.meta.resolve('#test/job-worker.ts'))], {
    env: { ...process.env, ...env, TEST_DATABASE: JSON.stringify(database.address) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  processes.push(child)
  await once(child.stdout, 'data')
  return child
}

async function runsOf(name: string): Promise<{ pid: number; attempt: number }[]> {
  const { rows } = await sql<{ pid: number; attempt: number }>`
    select (value ->> 'pid')::integer as pid, (value ->> 'attempt')::integer as attempt
    from settings where value ->> 'name' = ${name} order by updated_at`.execute(database.db)
  return rows
}

it('runs a job again on another process when its own is killed', { timeout: 20_000 }, async () => {
  const victim = await startWorker({ TEST_HANG: 'work' })
  const source = { db: database.db, clock: systemClock, random: systemRandomness }
  await transact(source, { author: null, ip: null }, (tx) => enqueue(tx, noteRun, { name: 'work' }))
  await until(async () => expect(await runsOf('work')).toEqual([{ pid: victim.pid, attempt: 1 }]))
  const heir = await startWorker()

  const killed = performance.now()
  victim.kill('SIGKILL')
  await until(async () => expect((await runsOf('work')).at(1)).toEqual({ pid: heir.pid, attempt: 2 }))
  const took = performance.now() - killed

  // The bound, a beat of the heir, a look for jobs, and what a busy machine takes.
  expect(took).toBeLessThan(quick.deadAfter + quick.heartbeat + quick.pollInterval + 2_000)
  console.log(`ran again ${Math.round(took)} ms after SIGKILL (bound ${quick.deadAfter} ms)`)
})

it('schedules once for all processes', { timeout: 20_000 }, async () => {
  // Both find five minutes to catch up on, at the same time.
  await sql`
    update graphile_worker._private_known_crontabs
    set last_execution = now() - interval '1 hour', known_since = now() - interval '1 day'`.execute(
    database.db,
  )
  await sql`delete from settings`.execute(database.db)
  await Promise.all([startWorker(), startWorker()])
  await until(async () => {
    expect((await runsOf('tick')).length).toBeGreaterThanOrEqual(5)
    const { rows } = await sql`select from graphile_worker.jobs`.execute(database.db)
    expect(rows).toEqual([])
  })
  // One more may have come due meanwhile; scheduled twice it would be ten.
  expect((await runsOf('tick')).length).toBeLessThanOrEqual(7)
})

it('lets another process take over the lease of one that was killed', { timeout: 20_000 }, async () => {
  const name = 'work for one'
  const victim = await startWorker({ TEST_HANG: name })
  const source = { db: database.db, clock: systemClock, random: systemRandomness }
  const add = () => transact(source, { author: null, ip: null }, (tx) => enqueue(tx, alone, { name }))
  await add()
  await until(async () => expect(await runsOf(name)).toMatchObject([{ pid: victim.pid }]))
  // While the lease is held, another job for the same work fails wherever it runs, and is tried again.
  const heir = await startWorker()
  await add()
  await until(async () => {
    const { rows } =
      await sql`select from graphile_worker.jobs where last_error like ${`%"${name}"%`}`.execute(database.db)
    expect(rows).toHaveLength(1)
  })
  expect(await runsOf(name)).toHaveLength(1)

  const killed = performance.now()
  victim.kill('SIGKILL')
  await until(async () => expect((await runsOf(name)).at(1)).toMatchObject({ pid: heir.pid }))
  const took = performance.now() - killed

  // The longer of the lease and of the wait for the dead, a retry of the other job, and what a busy machine takes.
  expect(took).toBeLessThan(quick.deadAfter + quick.heartbeat + quick.pollInterval + 5_000)
  console.log(`taken over ${Math.round(took)} ms after SIGKILL (lease ${quick.term} ms)`)
})
