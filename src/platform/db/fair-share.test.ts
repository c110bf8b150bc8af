import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { onBehalfOf } from '#platform/shares/caller.ts'
import { passingReason } from './errors.ts'
import { FairShare } from './fair-share.ts'
import { openPool } from './pool.ts'
import { openRequestConnections } from './request-connections.ts'

let database: ScratchDatabase

beforeAll(async () => {
  database = await createScratchDatabase()
  await database.pool.query('create table slow (n integer)')
})
afterAll(() => database[Symbol.asyncDispose]())

/** Keeps everybody from reading the table until the answer is called. */
async function hold(): Promise<() => Promise<void>> {
  const session = await database.pool.connect()
  await session.query('begin; lock table slow')
  return async () => {
    await session.query('commit')
    session.release()
  }
}

/** A share of four connections, two for each caller. */
function share(limits: { readonly waiting?: number; readonly patience?: number } = {}) {
  const pool = openPool(database.address, 4)
  const fair = new FairShare(pool, { running: 2, ...limits })
  const as = (caller: string, text: string) =>
    onBehalfOf(
      () => caller,
      () => fair.query({ text }),
    )
  return { fair, pool, as, [Symbol.asyncDispose]: () => pool.end() }
}

const reasonOf = (work: Promise<unknown>) => work.then(() => undefined, passingReason)

test('a caller whose statements wait leaves connections to others', async () => {
  await using own = share()
  const release = await hold()
  const slow = Array.from({ length: 10 }, () => own.as('one', 'select count(*) from slow'))
  await own.as('another', 'select 1')
  await Promise.all(Array.from({ length: 20 }, () => own.as('another', 'select 1')))
  expect([own.pool.totalCount - own.pool.idleCount, own.fair.waiting]).toEqual([2, 8])
  await release()
  expect(await Promise.all(slow)).toHaveLength(10)
  expect(own.fair.waiting).toBe(0)
})

test('a caller has a bounded number of waiting statements, each for a bounded time', async () => {
  await using own = share({ waiting: 3, patience: 200 })
  const release = await hold()
  const slow = Array.from({ length: 6 }, () => reasonOf(own.as('one', 'select count(*) from slow')))
  const tooMany = 'too many of your requests are being answered at once'
  expect(await Promise.all(slow.slice(2))).toEqual([tooMany, tooMany, tooMany, tooMany])
  await release()
  expect(await Promise.all(slow.slice(0, 2))).toEqual([undefined, undefined])
  await own.as('one', 'select 1')
})

test('a statement that fails passes its place on', async () => {
  await using own = share()
  const sent = Array.from({ length: 5 }, () => own.as('one', 'select 1 / 0').catch(() => 'failed'))
  expect(await Promise.all(sent)).toEqual(['failed', 'failed', 'failed', 'failed', 'failed'])
  const { rows } = await own.as('one', 'select 1 as one')
  expect(rows).toEqual([{ one: 1 }])
})

test('a statement that cannot be sent takes no place', async () => {
  await using own = share()
  const circle: { self?: unknown } = {}
  circle.self = circle
  const sent = Array.from({ length: 5 }, () =>
    onBehalfOf(
      () => 'one',
      () => own.fair.query({ name: 'circle', text: 'select $1::json', values: [circle] }),
    ).catch(() => 'refused'),
  )
  expect(await Promise.all(sent)).toEqual(['refused', 'refused', 'refused', 'refused', 'refused'])
  const { rows } = await own.as('one', 'select 1 as one')
  expect(rows).toEqual([{ one: 1 }])
})

test('prepared reads are planned once, other reads and writes for their values', async () => {
  const connections = openRequestConnections(database.address, 8)
  try {
    const text = `select current_setting('plan_cache_mode') as mode, current_setting('statement_timeout') as limit`
    const pools = [connections.plannedOnce.pool, connections.reads.pool, connections.writes.pool]
    const settings = pools.map((pool) => pool.query(text).then(({ rows }) => rows[0]))
    expect(await Promise.all(settings)).toEqual([
      { mode: 'force_generic_plan', limit: '10s' },
      { mode: 'auto', limit: '10s' },
      { mode: 'auto', limit: '30s' },
    ])
  } finally {
    await connections.end()
  }
})
