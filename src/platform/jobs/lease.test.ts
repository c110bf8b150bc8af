import { setTimeout as pause } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { transact, type Tx } from '#platform/db/transaction.ts'
import { type LeaseHolder, LeaseHeld, LeaseLost, withLease } from './lease.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { quiet } from '#test/job-worker.ts'
import { until } from '#test/until.ts'

let database: ScratchDatabase
beforeAll(async () => {
  database = await createScratchDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

const holder = (): LeaseHolder => ({
  db: database.db,
  log: quiet,
  signal: new AbortController().signal,
})

function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
  const source = { db: database.db, clock: systemClock, random: systemRandomness }
  return transact(source, { author: null, ip: null }, work)
}

/** As if its holder had been gone for longer than the lease lasts. */
const expire = (name: string) =>
  sql`update leases set until = now() - interval '1 second' where name = ${name}`.execute(database.db)

const isThere = async (name: string) =>
  (await database.db.selectFrom('leases').select('name').where('name', '=', name).execute()).length > 0

it('is held by one at a time, and free again when the work has ended or failed', async () => {
  await withLease(holder(), 'one', async () => {
    await expect(withLease(holder(), 'one', async () => 'second')).rejects.toThrow(LeaseHeld)
    expect(await withLease(holder(), 'another', async () => 'other work')).toBe('other work')
  })
  await expect(withLease(holder(), 'one', () => Promise.reject(new Error('failed')))).rejects.toThrow(
    'failed',
  )
  expect(await withLease(holder(), 'one', async () => 'next')).toBe('next')
  expect(await isThere('one')).toBe(false)
})

it('of many who ask at the same moment, one gets it', async () => {
  // Whoever gets it keeps it until all others were refused.
  const refused = Promise.withResolvers<void>()
  let refusals = 0
  const all = Array.from({ length: 8 }, () =>
    withLease(holder(), 'rush', () => Promise.race([refused.promise, pause(10_000)])).catch(
      (error: unknown) => {
        if ((refusals += 1) === 7) refused.resolve()
        throw error
      },
    ),
  )
  const results = await Promise.allSettled(all)
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

it('lasts as long as the work, however much longer than its term', async () => {
  await withLease(
    holder(),
    'renewed',
    async ({ signal }) => {
      for (let step = 0; step < 10; step += 1) {
        await pause(200)
        await expect(withLease(holder(), 'renewed', async () => {})).rejects.toThrow(LeaseHeld)
      }
      expect(signal.aborted).toBe(false)
    },
    // Longer than a busy machine lets this process wait.
    1_500,
  )
})

it('goes over to others when it was not renewed; who had it writes nothing more, and is told', async () => {
  await withLease(
    holder(),
    'lost',
    async (lease) => {
      await write((tx) => lease.guard(tx))
      await expire('lost')
      await withLease(holder(), 'lost', async (later) => {
        const late = write(async (tx) => {
          await sql`insert into settings (name, value, updated_at) values ('late', '1', now())`.execute(tx.db)
          await lease.guard(tx)
        })
        await expect(late).rejects.toThrow(LeaseLost)
        await write((tx) => later.guard(tx))
      })
      expect(lease.signal.reason).toBeInstanceOf(LeaseLost)
    },
    60_000,
  )
  const settings = await database.db.selectFrom('settings').where('name', '=', 'late').selectAll().execute()
  expect(settings).toEqual([])
})

it('tells its holder of the loss although they write nothing', async () => {
  const work = withLease(
    holder(),
    'watched',
    async ({ signal }) => {
      // It may be renewed between the two.
      await until(async () => {
        await expire('watched')
        await withLease(holder(), 'watched', () => until(() => expect(signal.aborted).toBe(true)))
      })
    },
    300,
  )
  await work
})

it('does not go over to others in the middle of a transaction that it guards', async () => {
  const order: string[] = []
  await withLease(
    holder(),
    'guarded',
    async (lease) => {
      const guarded = Promise.withResolvers<void>()
      const met = Promise.withResolvers<void>()
      const writing = write(async (tx) => {
        await lease.guard(tx)
        await sql`update leases set until = now() - interval '1 second' where name = 'guarded'`.execute(tx.db)
        guarded.resolve()
        await met.promise
        order.push('written')
      })
      await guarded.promise
      const next = withLease(holder(), 'guarded', async () => order.push('taken'))
      await lockWaiters(1, database.db)
      met.resolve()
      await writing
      await next.catch(() => order.push('refused'))
    },
    60_000,
  )
  expect(order).toEqual(['written', 'taken'])
})
