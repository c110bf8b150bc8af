import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { dropDatabase, newBareDatabase } from '#test/new-database.ts'
import { takeSessionLock } from './locks.ts'
import { DatabaseTooNew, migrate } from './migrate.ts'
import { openPool } from './pool.ts'
import type { Pool } from 'pg'
import { until } from '#test/until.ts'

let address: Awaited<ReturnType<typeof newBareDatabase>>
let pool: Pool
let path: string
let folder: URL
let files: number

beforeEach(async () => {
  address = await newBareDatabase()
  pool = openPool(address, 5)
  path = await mkdtemp(join(tmpdir(), 'migrations-'))
  folder = pathToFileURL(`${path}/`)
  files = 0
})
afterEach(async () => {
  await pool.end()
  await dropDatabase(address)
  await rm(path, { recursive: true })
})

/** Writes migrations after those that are there, and answers their names. */
async function write(...texts: readonly string[]): Promise<string[]> {
  const names = texts.map((_, index) => `${String(files + index + 1).padStart(4, '0')}-test.sql`)
  await Promise.all(names.map((name, index) => writeFile(join(path, name), texts[index] ?? '')))
  files += texts.length
  return names
}

const rows = async (sql: string) => (await pool.query(sql)).rows
const applied = () => rows('select number, works_with from migrations order by number')
describe('migrations', () => {
  it('are applied once, in order, each with what it works with', async () => {
    const first = await write(
      'create table a (id integer);',
      '-- works with: 1\nalter table a add b integer;',
    )
    expect(await migrate(pool, { folder })).toEqual(first)
    expect(await migrate(pool, { folder })).toEqual([])
    const more = await write('-- works with: 2\ninsert into a values (1, 2);')
    expect(await migrate(pool, { folder })).toEqual(more)
    expect(await applied()).toEqual([
      { number: 1, works_with: 1 },
      { number: 2, works_with: 1 },
      { number: 3, works_with: 2 },
    ])
    expect(await rows('select * from a')).toEqual([{ id: 1, b: 2 }])
  })

  it('are applied whole or not at all', async () => {
    await write('create table a (id integer);', 'insert into a values (1); select 1 / 0;')
    await expect(migrate(pool, { folder })).rejects.toThrow('Migration 0002-test.sql failed')
    expect(await rows('select * from a')).toEqual([])
    expect(await applied()).toHaveLength(1)
  })

  it('step aside for those who hold a lock for long, and try again', async () => {
    await write('create table a (id integer);')
    await migrate(pool, { folder })
    await write('alter table a add b integer;')
    const reader = await pool.connect()
    await reader.query('begin')
    await reader.query('select from a')
    const migrating = migrate(pool, { folder })
    await until(async () => expect(await rows(waiting)).toHaveLength(1))
    // Comes after the migration, and would wait for it as long as that waits.
    await pool.query('insert into a values (1)')
    await reader.query('commit')
    reader.release()
    await migrating
    expect(await rows('select * from a')).toEqual([{ id: 1, b: null }])
  })

  it.each([
    ['-- works with: soon\nselect 1;', '"-- works with: soon" is not understood'],
    ['-- works with: 2\nselect 1;', 'where N is the number of the last migration'],
    ['-- outside a transaction: yes\nselect 1;', 'is not understood'],
    ['-- breaks rolling upgrade\nselect 1;', 'is not understood'],
  ])('with a header like %j are refused', async (text, refusal) => {
    await write(text)
    await expect(migrate(pool, { folder })).rejects.toThrow(refusal)
    expect(await rows("select to_regclass('migrations') as found")).toEqual([{ found: null }])
  })

  it('newer than the first ones are refused without the header', async () => {
    await write(...Array.from({ length: 11 }, () => 'select 1;'), 'select 1;')
    await expect(migrate(pool, { folder })).rejects.toThrow('Migration 0012-test.sql should begin with')
  })
})

const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

describe('a program on a newer database', () => {
  const newer = async (...worksWith: readonly (number | null)[]) => {
    await write('create table a (id integer);')
    await migrate(pool, { folder })
    for (const [index, works] of worksWith.entries())
      await pool.query("insert into migrations values ($1, 'later.sql', now(), $2)", [index + 2, works])
  }

  it('starts when every migration that it does not know works with it', async () => {
    await newer(1, 1)
    expect(await migrate(pool, { folder })).toEqual([])
  })

  it.each([[[2]], [[1, 3]], [[2, 1]], [[null]]])(
    'is refused by migrations that work with %j',
    async (worksWith) => {
      await newer(...worksWith)
      const refused = migrate(pool, { folder })
      await expect(refused).rejects.toThrow(DatabaseTooNew)
      await expect(refused).rejects.toThrow(
        `at migration ${worksWith.length + 1}, this version of Forgelet knows 1`,
      )
    },
  )

  it('is refused by a database of the time before headers', async () => {
    await write('select 1;')
    await pool.query(
      'create table migrations (number integer primary key, file text, applied_at timestamptz)',
    )
    await pool.query("insert into migrations values (1, 'a.sql', now()), (2, 'b.sql', now())")
    await expect(migrate(pool, { folder })).rejects.toThrow(DatabaseTooNew)
    await pool.query('delete from migrations where number = 2')
    await write('create table a (id integer);')
    expect(await migrate(pool, { folder })).toEqual(['0002-test.sql'])
    expect(await applied()).toEqual([
      { number: 1, works_with: 1 },
      { number: 2, works_with: 2 },
    ])
  })
})

describe('a migration outside a transaction', () => {
  const table = 'create table a (id integer); insert into a select generate_series(1, 1000);'
  const index = [
    '-- works with: 1',
    '-- outside a transaction',
    '-- Finds what the list asks for; a comment may end in a semicolon;',
    'create index concurrently if not exists a_id on a (id);',
    'create index concurrently if not exists a_minus_id on a',
    '  ((-id));',
  ].join('\n')
  const indexes = () =>
    rows(`select c.relname as name, i.indisvalid as valid from pg_index i join pg_class c on c.oid = i.indexrelid
      where i.indrelid = 'a'::regclass order by 1`)
  const both = [
    { name: 'a_id', valid: true },
    { name: 'a_minus_id', valid: true },
  ]

  it('builds indexes while others write', async () => {
    await write(table, index)
    await migrate(pool, { folder })
    expect(await indexes()).toEqual(both)
  })

  it('that was killed half-way is finished by the next start', async () => {
    await write(table)
    await migrate(pool, { folder })
    await write(index)
    // Builds wait for whoever wrote the table before.
    const writer = await pool.connect()
    await writer.query('begin')
    await writer.query('insert into a values (0)')
    const program = spawn(process.execPath, [fileURLToPath(import.meta.resolve('#test/migrator.ts'))], {
      env: { ...process.env, TEST_DATABASE: JSON.stringify(address), TEST_MIGRATIONS: `${path}/` },
      stdio: 'ignore',
    })
    const exited = new Promise((resolve) => program.once('exit', resolve))
    await until(async () => expect(await indexes()).toEqual([{ name: 'a_id', valid: false }]))
    program.kill('SIGKILL')
    await exited
    await writer.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and query like 'create index concurrently%'`)
    await writer.query('commit')
    writer.release()
    expect(await indexes()).toEqual([{ name: 'a_id', valid: false }])
    expect(await migrate(pool, { folder })).toEqual(['0002-test.sql'])
    expect(await indexes()).toEqual(both)
    expect(await applied()).toHaveLength(2)
  })

  it('may hold no function, whose semicolons end nothing', async () => {
    await write('-- outside a transaction\ndo $$ begin end $$;')
    await expect(migrate(pool, { folder })).rejects.toThrow('failed')
  })
})

describe('several nodes', () => {
  it('migrate once, and wait without keeping a concurrent build waiting', async () => {
    await write('create table a (id integer);')
    await migrate(pool, { folder })
    await write(
      '-- works with: 1\n-- outside a transaction\ncreate index concurrently if not exists a_id on a (id);',
    )
    const writer = await pool.connect()
    await writer.query('begin')
    await writer.query('insert into a values (0)')
    const one = migrate(pool, { folder })
    await until(async () => expect(await rows(waiting)).toHaveLength(1))
    const onWait = vi.fn()
    const two = migrate(pool, { folder, onWait })
    await until(async () => expect(onWait).toHaveBeenCalledTimes(1))
    // Nobody waits for the lock inside a statement.
    expect(await rows(waiting)).toHaveLength(1)
    await writer.query('commit')
    writer.release()
    expect(await Promise.all([one, two])).toEqual([['0002-test.sql'], []])
    expect(onWait).toHaveBeenCalledTimes(1)
  })

  it('hold a lock until their session ends', async () => {
    const [here, there] = [await pool.connect(), await pool.connect()]
    await takeSessionLock(here, 'migrations')
    let taken = false
    const onWait = vi.fn()
    const taking = takeSessionLock(there, 'migrations', { onWait }).then(() => (taken = true))
    await until(async () => expect(onWait).toHaveBeenCalled())
    expect(taken).toBe(false)
    here.release(true)
    await taking
    there.release(true)
  })
})
