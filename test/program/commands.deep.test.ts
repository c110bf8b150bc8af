import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { openPool } from '#platform/db/pool.ts'
import { commands as cli } from '#program/cli/commands.ts'
import { newBareDatabase, newDatabase, urlOf } from '#test/new-database.ts'
import { folder, forgelet } from './forgelet.ts'
import { forgelet as run } from './in-process.ts'

// Each in a process of its own: nothing but the command itself has loaded the program.
test('users and tokens are created where no server runs', async () => {
  const environment = {
    FORGELET_DATA: folder(),
    FORGELET_DATABASE_URL: urlOf(await newDatabase()),
    FORGELET_ROOT_PASSWORD: 'a password that is long enough',
  }
  const user = forgelet(
    ['user', 'create', '--username', 'ada', '--name', 'Ada', '--email', 'ada@example.com'],
    environment,
  )
  expect([await user.ended, user.err()]).toEqual([0, expect.not.stringContaining('should not happen')])
  const token = forgelet(
    ['token', 'create', '--user', 'ada', '--name', 'rescue', '--scope', 'api'],
    environment,
  )
  expect([await token.ended, token.out()]).toEqual([0, expect.stringMatching(/glpat-/)])
})

describe('where there is no instance', () => {
  const commands = [
    'backup x',
    'check repositories',
    'database upgrade',
    'files move',
    'license issue --plan=premium --company=x --name=x --email=x --users=0 --expires=2999-01-01',
    'migrate',
    'secrets rotate',
    'storage status',
    'token create --user=root --name=x --scope=api',
    'user create --username=x --name=x --email=x@example.com',
    'user reset-password --user=root',
    'user unlock --user=root',
  ]

  test('no other command makes one', () => {
    const known = [
      'serve',
      'restore',
      'doctor',
      'completion',
      'backup verify',
      'license inspect',
      'runner',
      'runner register',
    ]
    const names = [...commands, ...known].map((line) => line.replace(/ (?:-|x$).*/, ''))
    expect(names.toSorted()).toEqual(cli.map(({ name }) => name).toSorted())
  })

  test.each(commands)('%s says where it looked and what to set, and makes nothing', async (line) => {
    const FORGELET_DATA = join(folder(), 'data')
    const { code, out, err } = await run(line.split(' '), { FORGELET_DATA })
    expect({ code, out, lines: err.split('\n').length }).toEqual({ code: 1, out: '', lines: 2 })
    expect(err).toContain(`There is no instance of Forgelet in ${FORGELET_DATA}, which FORGELET_DATA names.`)
    expect(err).toContain('made by "forgelet serve" only')
    expect(existsSync(FORGELET_DATA)).toBe(false)
  })

  test.each(commands.filter((line) => line !== 'database upgrade' && line !== 'migrate'))(
    '%s makes none in an empty database',
    async (line) => {
      const database = await newBareDatabase()
      const environment = { FORGELET_DATA: folder(), FORGELET_DATABASE_URL: urlOf(database) }
      const { code, out, err } = await run(line.split(' '), environment)
      expect({ code, out }).toEqual({ code: 1, out: '' })
      expect(err).toContain(`in the database "${database.database}", which FORGELET_DATABASE_URL names.`)
      expect(err).not.toContain('password')
      expect(existsSync('x')).toBe(false)
      const pool = openPool(database, 1)
      const { rows } = await pool.query(`select 1 from pg_tables where schemaname = 'public'`)
      await pool.end()
      expect(rows).toEqual([])
    },
  )

  test('migrate prepares an empty database that is named, twice, and leaves one of something else alone', async () => {
    const database = await newBareDatabase()
    const environment = { FORGELET_DATA: folder(), FORGELET_DATABASE_URL: urlOf(database) }
    expect(await run(['migrate'], environment)).toMatchObject({
      code: 0,
      out: expect.stringContaining('0001'),
    })
    expect(await run(['migrate'], environment)).toMatchObject({ code: 0, out: 'nothing to do\n' })
    const other = await newBareDatabase()
    const pool = openPool(other, 1)
    await pool.query('create table theses (title text)')
    const answer = await run(['migrate'], { ...environment, FORGELET_DATABASE_URL: urlOf(other) })
    const { rows } = await pool.query(`select tablename from pg_tables where schemaname = 'public'`)
    await pool.end()
    expect(answer).toMatchObject({ code: 1, err: expect.stringContaining('There is no instance') })
    expect(rows).toEqual([{ tablename: 'theses' }])
  })

  test('a folder of something else is left as it is', async () => {
    const here = folder()
    writeFileSync(join(here, 'thesis.txt'), 'mine')
    mkdirSync(join(here, 'postgresql'))
    const { code, err } = await run(['user', 'reset-password', '--user=root'], { FORGELET_DATA: here })
    expect([code, err]).toEqual([1, expect.stringContaining('There is no instance of Forgelet')])
    expect([readdirSync(here).length, readdirSync(join(here, 'postgresql'))]).toEqual([2, []])
  })

  test('without a variable, the message says which folder was meant', async () => {
    const program = forgelet(['backup', '-'], {}, undefined, folder())
    expect(await program.ended).toBe(1)
    expect(program.err()).toContain('FORGELET_DATA is not set, so this is the folder "data" of where you are')
    expect(program.out()).toBe('')
  })

  test('a schema without an administrator, as an interrupted first start leaves it, is none', async () => {
    const environment = { FORGELET_DATABASE_URL: urlOf(await newDatabase('empty')), FORGELET_DATA: folder() }
    const create = await run(['token', 'create', '--user=root', '--name=x', '--scope=api'], environment)
    expect(create).toMatchObject({ code: 1, out: '', err: expect.stringContaining('There is no instance') })
  })

  test('doctor says so', async () => {
    const FORGELET_DATA = join(folder(), 'data')
    const { out } = await run(['doctor'], { FORGELET_DATA })
    expect(out).toContain(`! database: none is in ${FORGELET_DATA}: "forgelet serve" would make a new`)
    expect(existsSync(FORGELET_DATA)).toBe(false)
  })
})
