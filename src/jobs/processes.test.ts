import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { systemClock, systemRandomness } from '#context.ts'
import { transact } from '#db/transaction.ts'
import { enqueue } from './enqueue.ts'
import { createScratchDatabase, type ScratchDatabase } from '../../test/scratch-database.ts'
import { noteRun, quick } from '../../test/job-worker.ts'

// Real processes, killed for real.

let database: ScratchDatabase
const processes: ChildProcess[] = []

beforeAll(async () => {
  database = await createScratchDatabase()
})
afterAll(async () => {
  for (const child of processes) child.kill('SIGKILL')
  await database[Symbol.asyncDispose]()
})

async function startWorker(env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [fileURLToPath(new URL('../../test/job-worker.ts', import.meta.url))],
    {
      env: { ...process.env, ...env, TEST_DATABASE: JSON.stringify(database.address) },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
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

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 10_000, interval: 20 })

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
