import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { FairShare } from '../fair-share.ts'
import { openPool } from '../pool.ts'
import { WriteThrottle } from './write-throttle.ts'

let database: ScratchDatabase
beforeAll(async () => {
  database = await createScratchDatabase()
  await database.pool.query('create table slow (n integer)')
})
afterAll(() => database[Symbol.asyncDispose]())

const LONG = 30_000

/** Eight connections for transactions, of which two run beside reads that wait; and one connection for reads. */
function shares(maxWaitMs = LONG) {
  const [pool, readPool] = [openPool(database.address, 8), openPool(database.address, 1, { pipeline: false })]
  const reads = new FairShare(readPool, { running: 1 })
  const writes = new WriteThrottle(pool, [reads], { maxWhileReadsWait: 2, maxWaitMs })
  return {
    writes,
    reads,
    [Symbol.asyncDispose]: async () => void (await Promise.all([pool.end(), readPool.end()])),
  }
}

/** Makes two reads of one connection wait until the answer is called. */
async function holdReads(reads: FairShare): Promise<() => Promise<void>> {
  const session = await database.pool.connect()
  await session.query('begin; lock table slow')
  const waiting = [1, 2].map(() => reads.query({ text: 'select count(*) from slow' }))
  await expect.poll(() => reads.pool.waitingCount).toBe(1)
  return async () => {
    await session.query('commit')
    session.release()
    await Promise.all(waiting)
  }
}

test('where no read waits, transactions have all connections', async () => {
  await using own = shares()
  const clients = await Promise.all(Array.from({ length: 8 }, () => own.writes.connect()))
  expect(own.writes.waiting).toBe(0)
  for (const client of clients) client.release()
})

test('while reads wait, few transactions run, and the next begins as one ends', async () => {
  await using own = shares()
  const release = await holdReads(own.reads)
  const began: pg.PoolClient[] = []
  const begin = async () => void began.push(await own.writes.connect())
  const [first, second, third, ...rest] = Array.from({ length: 5 }, begin)
  await Promise.all([first, second])
  expect([began.length, own.writes.waiting]).toEqual([2, 3])
  began[0]?.release()
  await third
  expect([began.length, own.writes.waiting]).toEqual([3, 2])
  // Once no read waits, all begin as soon as one ends.
  await release()
  began[1]?.release()
  await Promise.all(rest)
  expect(own.writes.waiting).toBe(0)
  for (const client of began.slice(2)) client.release()
})

test('a transaction waits for reads for a bounded time', async () => {
  await using own = shares(50)
  const release = await holdReads(own.reads)
  const clients = await Promise.all(Array.from({ length: 5 }, () => own.writes.connect()))
  expect(own.writes.waiting).toBe(0)
  for (const client of clients) client.release()
  await release()
})

test('a connection that cannot be opened takes no turn', async () => {
  await using own = shares()
  const refused = openPool({ ...database.address, database: 'none' }, 8)
  const writes = new WriteThrottle(refused, [own.reads], { maxWhileReadsWait: 2, maxWaitMs: LONG })
  const release = await holdReads(own.reads)
  for (const _ of [1, 2, 3]) await expect(writes.connect()).rejects.toMatchObject({ code: '3D000' })
  expect(writes.waiting).toBe(0)
  await release()
  await refused.end()
})
