import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { transact } from '#platform/db/transaction.ts'
import { enqueue } from './enqueue.ts'
import { countJobs, registerJobMetrics } from './metrics.ts'
import { createScratchDatabase } from '#test/scratch-database.ts'
import { tick } from '#test/job-worker.ts'

it('counts the jobs by state, those that were given up among them', async () => {
  await using database = await createScratchDatabase()
  const source = { db: database.db, clock: systemClock, random: systemRandomness }
  await transact(source, { author: null, ip: null }, async (tx) => {
    await enqueue(tx, tick, {})
    await enqueue(tx, tick, {}, { runAt: '2100-01-01T00:00:00Z' })
    const worn = await enqueue(tx, tick, {})
    await sql`update graphile_worker._private_jobs set attempts = 25 where id = ${worn}`.execute(tx.db)
    const tried = await enqueue(tx, tick, {})
    await sql`update graphile_worker._private_jobs set attempts = 1 where id = ${tried}`.execute(tx.db)
  })
  const counts = await countJobs(database.db)
  expect(counts).toMatchObject({ ready: 1, scheduled: 1, running: 0, retrying: 1, dead: 1 })
  expect(counts.lag).toBeGreaterThan(0)
  const registry = new Registry()
  registerJobMetrics(registry, database.db)
  expect(await registry.metrics()).toContain('forgelet_jobs{state="dead"} 1')
})
