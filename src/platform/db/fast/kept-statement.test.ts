import { afterAll, beforeAll, expect, test } from 'vitest'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { FairShare } from '../fair-share.ts'
import { openPool } from '../pool.ts'
import { queryKept } from './kept-statement.ts'

let database: ScratchDatabase
beforeAll(async () => {
  database = await createScratchDatabase()
})
afterAll(() => database[Symbol.asyncDispose]())

/** A share whose statements run one after the other, on one connection unless told otherwise. */
function share(connections = 1) {
  const pool = openPool(database.address, connections, { pipeline: false })
  const fair = new FairShare(pool, { running: connections })
  return {
    pool,
    ask: (name: string, text: string, values: unknown[] = []) => fair.query({ name, text, values }),
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

test('rows have the columns with their types, at the first run and later', async () => {
  await using own = share()
  const text = `select $1::int8 as id, $2::text as "a ""name""", null::int as nothing, true as yes, '{1,2}'::int8[] as ids,
    $3::bytea as bytes, '{"a":[1]}'::json as json, now() > '2000-01-01' as now from generate_series(1, 2)`
  for (const id of [1, 2, 3]) {
    const row = {
      id,
      'a "name"': 'ä\n💥',
      nothing: null,
      yes: true,
      ids: [1, 2],
      bytes: Buffer.from([0, 255]),
      json: { a: [1] },
      now: true,
    }
    const { rows, rowCount, command } = await own.ask('types', text, [id, 'ä\n💥', Buffer.from([0, 255])])
    expect([rows, rowCount, command]).toEqual([[row, row], 2, 'SELECT'])
  }
})

test('each connection learns the columns for itself', async () => {
  await using own = share(3)
  const asked = Array.from({ length: 30 }, (_, n) => own.ask('many', 'select $1::int as n', [n]))
  expect((await Promise.all(asked)).map(({ rows }) => rows)).toEqual(asked.map((_, n) => [{ n }]))
})

test('a statement that was refused works with other values, and so do others', async () => {
  await using own = share()
  const text = 'select 1 / $1::int as n'
  await expect(own.ask('refused', text, ['x'])).rejects.toMatchObject({ code: '22P02' })
  await expect(own.ask('refused', text, [0])).rejects.toMatchObject({ code: '22012' })
  await expect(own.ask('wrong', 'select nothing')).rejects.toMatchObject({ code: '42703' })
  for (const _ of [1, 2]) expect((await own.ask('refused', text, [1])).rows).toEqual([{ n: 1 }])
  expect((await own.ask('none', 'select 1 as n where false')).rows).toEqual([])
})

test('values that cannot be sent are refused before anything is', async () => {
  await using own = share()
  const circle: { self?: unknown } = {}
  circle.self = circle
  await expect(own.ask('circle', 'select $1::json as n', [circle])).rejects.toThrow('circular')
  expect((await own.ask('circle', 'select $1::json as n', [{ a: 1 }])).rows).toEqual([{ n: { a: 1 } }])
})

test('a connection that is lost in the middle fails its statement alone', async () => {
  await using own = share()
  const waiting = own.ask('waiting', 'select pg_sleep(25)').catch((error: unknown) => error)
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where query = 'select pg_sleep(25)' and state = 'active'`
  await expect.poll(async () => (await database.pool.query(end)).rows.length).toBe(1)
  expect(await waiting).toMatchObject({ code: '57P01' })
  expect((await own.ask('after', 'select 1 as n')).rows).toEqual([{ n: 1 }])
})

test('in a transaction they are sent one behind the other, also before the first is answered', async () => {
  const pool = openPool(database.address, 1)
  const client = await pool.connect()
  const ask = (name: string, text: string, values: unknown[] = []) =>
    queryKept(client, name, { text, values })
  const text = 'select $1::int / $2::int as n'
  await ask('table', 'create temporary table kept (n int)')
  for (const fails of [false, true, false]) {
    const answers = await Promise.allSettled([
      ask('begin', 'begin'),
      ...[1, 2, 3].map((n) => ask('divide', text, [6, fails && n === 2 ? 0 : n])),
      ask('insert', 'insert into kept values ($1)', [1]),
      ask('rows', 'select n from kept'),
      ask('end', 'commit'),
    ])
    const told = answers.map((answer) =>
      answer.status === 'rejected' ? answer.reason.code : [answer.value.command, answer.value.rows],
    )
    const aborted = '25P02'
    expect(told).toEqual([
      ['BEGIN', []],
      ['SELECT', [{ n: 6 }]],
      ...(fails
        ? ['22012', aborted, aborted, aborted, ['ROLLBACK', []]]
        : [
            ['SELECT', [{ n: 3 }]],
            ['SELECT', [{ n: 2 }]],
            ['INSERT', []],
            ['SELECT', expect.arrayContaining([{ n: 1 }])],
            ['COMMIT', []],
          ]),
    ])
  }
  expect((await ask('rows', 'select n from kept')).rows).toEqual([{ n: 1 }, { n: 1 }])
  client.release()
  await pool.end()
})
