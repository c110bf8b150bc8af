import { sql } from 'kysely'
import type { PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { systemClock, systemRandomness } from '#platform/context.ts'
import { meaningOf } from '#platform/http/errors.ts'
import { roundTrips } from '#test/round-trips.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { InTheWay, passingReason, statementOf } from './errors.ts'
import { assertOutsideTransaction } from './open-transaction.ts'
import { type Db, openDb, openPool } from './pool.ts'
import { type Params, statement } from './statement.ts'
import { transact, type Tx } from './transaction.ts'

let database: ScratchDatabase
let db: Db
let runsAgain: unknown[] = []

beforeAll(async () => {
  database = await createScratchDatabase()
  db = openDb(database.pool)
  await sql`create table counters (id integer primary key, value integer not null)`.execute(db)
  await sql`create table parts (counter integer not null references counters (id))`.execute(db)
  await sql`insert into counters values (1, 0), (2, 0)`.execute(db)
})
afterAll(() => database[Symbol.asyncDispose]())

function write<T>(work: (tx: Tx) => Promise<T>, on: Db = db): Promise<T> {
  const source = { db: on, clock: systemClock, random: systemRandomness }
  const onRunAgain = (error: unknown) => void runsAgain.push(error)
  return transact({ ...source, onRunAgain }, { author: null, ip: null }, work)
}

const add = ({ db }: Tx, id: number) =>
  sql`update counters set value = value + 1 where id = ${id}`.execute(db)

async function values(): Promise<number[]> {
  const { rows } = await sql<{ value: number }>`select value from counters order by id`.execute(db)
  return rows.map(({ value }) => value)
}

/** A session of its own, to be in the way. */
async function withSession<T>(work: (session: PoolClient) => Promise<T>) {
  const session = await database.pool.connect()
  try {
    return await work(session)
  } finally {
    session.release(true)
  }
}

describe('a transaction that others make impossible', () => {
  it('runs again after a deadlock, and both get what they asked for', async () => {
    runsAgain = []
    const before = await values()
    const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const
    const lane = (first: 0 | 1) => {
      let runs = 0
      return write(async (tx) => {
        runs += 1
        await add(tx, first + 1)
        met[first].resolve()
        await met[first === 0 ? 1 : 0].promise
        await add(tx, 2 - first)
        return runs
      })
    }
    const runs = await Promise.all([lane(0), lane(1)])
    // The one that runs again may take its first row before the other wakes up, and then meets it once more.
    const again = Math.max(...runs) - 1
    expect(again).toBeGreaterThan(0)
    expect(Math.min(...runs)).toBe(1)
    expect(runsAgain).toEqual(Array(again).fill(expect.objectContaining({ code: '40P01' })))
    expect(await values()).toEqual(before.map((value) => value + 2))
  })

  it('runs again when what it refers to was deleted, and finds that out', async () => {
    await sql`insert into counters values (3, 0)`.execute(db)
    let runs = 0
    const failing = write(async (tx) => {
      runs += 1
      if (runs === 1) {
        await sql`insert into parts values (99)`.execute(tx.db)
      }
      return 'not found'
    })
    expect(await failing).toBe('not found')
    expect(runs).toBe(2)
  })

  it('gives up after six runs, with 503 and the reason', async () => {
    let runs = 0
    const failing = write(async () => {
      runs += 1
      throw new InTheWay('again')
    })
    const error: unknown = await failing.catch((reason: unknown) => reason)
    expect(runs).toBe(6)
    const { status, body, headers } = meaningOf(error, undefined as never) ?? {}
    expect({ status, body, retry: headers?.['retry-after'] }).toEqual({
      status: 503,
      body: { message: '503 Service Unavailable - other changes were in the way' },
      retry: '1',
    })
  })

  it('does not run again for a refusal of its own, nor when the connection is lost', async () => {
    let runs = 0
    const refused = write(async () => {
      runs += 1
      throw new Error('no')
    })
    await expect(refused).rejects.toThrow('no')
    const lost = write(async (tx) => {
      runs += 1
      await sql`select pg_terminate_backend(pg_backend_pid())`.execute(tx.db)
    })
    const error: unknown = await lost.catch((reason: unknown) => reason)
    expect(passingReason(error)).toBe('the database is not reachable')
    expect(runs).toBe(2)
  })
})

describe('the inside of a transaction', () => {
  it('waits for no other connection', async () => {
    const nested = write(async () => sql`select 1`.execute(db))
    await expect(nested).rejects.toThrow(
      'A statement outside of it must not be waited for inside a transaction',
    )
  })

  it('waits for nothing else either, and is over when it ends', async () => {
    await expect(write(async () => assertOutsideTransaction('A limit'))).rejects.toThrow('A limit must not')
    const later = await write(async () => async () => assertOutsideTransaction('A limit'))
    await expect(later()).resolves.toBeUndefined()
  })

  it('has what was put off done in order, before the commit, or undone with it', async () => {
    const before = await values()
    const order: string[] = []
    const failing = write(async (tx) => {
      tx.beforeCommit(async () => void order.push('first'))
      tx.beforeCommit(async () => {
        order.push('second')
        throw new Error('no')
      })
      await add(tx, 1)
      order.push('work')
    })
    await expect(failing).rejects.toThrow('no')
    expect(order).toEqual(['work', 'first', 'second'])
    expect(await values()).toEqual(before)
  })
})

describe('limits of sessions', () => {
  const limited = (limits: { statement: number; lock: number; idleInTransaction: number }) => {
    const pool = openPool(database.address, 2, { limits })
    return { on: openDb(pool), [Symbol.asyncDispose]: () => pool.end() }
  }
  const reasonOf = async (work: Promise<unknown>) =>
    passingReason(await work.catch((error: unknown) => error))

  it('say which of them ended a statement, and which statement it was', async () => {
    // Each alone: on a busy machine, another one could be reached before it.
    const none = { statement: 60_000, lock: 60_000, idleInTransaction: 60_000 }
    await using ofStatements = limited({ ...none, statement: 100 })
    const slow: unknown = await sql`select pg_sleep(5)`
      .execute(ofStatements.on)
      .catch((error: unknown) => error)
    expect([passingReason(slow), statementOf(slow)]).toEqual([
      'a statement took too long',
      'select pg_sleep(5)',
    ])
    await using ofLocks = limited({ ...none, lock: 50 })
    await withSession(async (session) => {
      await session.query('begin')
      await session.query('update counters set value = value where id = 1')
      expect(await reasonOf(write((tx) => add(tx, 1), ofLocks.on))).toBe(
        'another change holds what this one needs',
      )
    })
    await using ofIdle = limited({ ...none, idleInTransaction: 500 })
    const idle = write(async (tx) => {
      await add(tx, 2)
      await new Promise((resolve) => setTimeout(resolve, 1_500))
      await add(tx, 2)
    }, ofIdle.on)
    expect(await reasonOf(idle)).toBe('a transaction was idle for too long')
  })
})

describe('a prepared statement whose columns change', () => {
  const all = statement({ name: 'all shapes', build: () => sql`select * from shapes` })

  it('is prepared anew, also inside a transaction, which then runs again', async () => {
    await sql`create table shapes (a integer)`.execute(db)
    await sql`insert into shapes values (1)`.execute(db)
    // On every connection of the pool.
    await Promise.all(Array.from({ length: 4 }, () => all(db, {})))
    await sql`alter table shapes add column b integer default 2`.execute(db)
    expect(await Promise.all(Array.from({ length: 4 }, () => all(db, {})))).toEqual(
      Array.from({ length: 4 }, () => [{ a: 1, b: 2 }]),
    )
    await sql`alter table shapes add column c integer default 3`.execute(db)
    let runs = 0
    const rows = await write(async (tx) => {
      runs += 1
      return all(tx.db, {})
    })
    expect([rows, runs]).toEqual([[{ a: 1, b: 2, c: 3 }], 2])
  })

  it('is the only kind that is kept by name', async () => {
    await using own = { pool: openPool(database.address, 1), [Symbol.asyncDispose]: async () => {} }
    const one = openDb(own.pool)
    await all(one, {})
    for (const columns of ['1', '1, 2', '1, 2, 3']) await sql`select ${sql.raw(columns)}`.execute(one)
    const { rows } = await sql<{ statement: string }>`select statement from pg_prepared_statements`.execute(
      one,
    )
    expect(rows).toEqual([{ statement: 'select * from shapes' }])
    await own.pool.end()
  })
})

describe('a deferred statement', () => {
  const addLater = statement({
    name: 'add later',
    build: (_, param: Params<{ id: number; by: number }>) =>
      sql`insert into counters values (${param('id')}, ${param('by')})`,
    deferred: true,
  })

  it('is sent with the next one, as a transaction begins with its first', async () => {
    const trips = await roundTrips([database.pool], () =>
      write(async (tx) => {
        await add(tx, 1)
        await addLater(tx.db, { id: 10, by: 0 })
      }),
    )
    expect(trips).toBe(2)
    const { rows } = await sql`delete from counters where id = 10 returning value`.execute(db)
    expect(rows).toEqual([{ value: 0 }])
  })

  it('that fails undoes the transaction, with its own error, and leaves the connection usable', async () => {
    const before = await values()
    const ofCommit = write(async (tx) => {
      await add(tx, 1)
      await addLater(tx.db, { id: 2, by: 0 })
    })
    await expect(ofCommit).rejects.toMatchObject({ code: '23505', constraint: 'counters_pkey' })
    const ofNext = write(async (tx) => {
      await addLater(tx.db, { id: 2, by: 0 })
      await add(tx, 1)
    })
    await expect(ofNext).rejects.toMatchObject({ code: '23505', constraint: 'counters_pkey' })
    expect(await values()).toEqual(before)
    expect(database.pool.idleCount).toBe(database.pool.totalCount)
  })
})

describe('the answer of a transaction', () => {
  const valueOf = statement<{ id: number }, { value: number }, unknown>({
    name: 'value of a counter',
    build: (_, param: Params<{ id: number }>) =>
      sql<{ value: number }>`select value from counters where id = ${param('id')}`,
  })
  const source = { clock: systemClock, random: systemRandomness }
  const nobody = { author: null, ip: null }
  const answering = <T>(work: (tx: Tx) => Promise<unknown>, answer: (tx: Tx) => Promise<T>) =>
    transact({ ...source, db }, nobody, work, answer)

  it('is read under the locks, and the commit is sent behind it', async () => {
    const [before = 0] = await values()
    let rows: unknown
    const trips = await roundTrips([database.pool], async () => {
      rows = await answering(
        (tx) => add(tx, 1),
        (tx) => valueOf(tx.db, { id: 1 }),
      )
    })
    expect([trips, rows]).toEqual([2, [{ value: before + 1 }]])
  })

  it('may take another statement, which sees what was written', async () => {
    const [before = 0] = await values()
    const asked = async ({ db: on }: Tx) => [
      ...(await valueOf(on, { id: 1 })),
      ...(await valueOf(on, { id: 1 })),
    ]
    expect(await answering((tx) => add(tx, 1), asked)).toEqual([{ value: before + 1 }, { value: before + 1 }])
    expect(database.pool.idleCount).toBe(database.pool.totalCount)
  })

  it('undoes everything when it cannot be read', async () => {
    const before = await values()
    const failing = answering(
      (tx) => add(tx, 1),
      (tx) => valueOf(tx.db, { id: 2 ** 40 }),
    )
    await expect(failing).rejects.toMatchObject({ code: '22003' })
    expect(await values()).toEqual(before)
    expect(database.pool.idleCount).toBe(database.pool.totalCount)
  })

  it('is the last thing that a transaction sends: afterwards nothing can be written with it', async () => {
    const { db: ended } = await write(async (tx) => tx)
    await expect(valueOf(ended, { id: 1 })).rejects.toThrow('after the end of its transaction')
  })
})
