import { execFileSync, spawn } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { DatabaseTooNew } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { startServer } from '../src/server.ts'
import { Client } from './client.ts'

/** Where Debian's packages put their servers; the newest that is there. */
const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').toSorted() : []
const bin = versions.length > 0 ? `/usr/lib/postgresql/${versions.at(-1)}/bin` : undefined
if (bin === undefined) console.log("skipped: Debian's PostgreSQL is not installed (package postgresql)")

const TOKEN = 'glpat-the-token-of-an-external-database'
const log = pino({ level: 'fatal' })
/** PostgreSQL does not run as root. */
const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

describe.skipIf(bin === undefined)(`on PostgreSQL ${versions.at(-1) ?? ''} of the system`, () => {
  let folder: string
  let stopServer = async () => {}
  const address = (database: string) => ({ host: folder, port: 5432, user: 'forgelet', database })
  const urlOf = (database: string) => `postgres://forgelet@/${database}?host=${encodeURIComponent(folder)}`

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fpg-'))
    if (account.uid !== undefined) await chown(folder, account.uid, account.gid)
    const data = join(folder, 'data')
    execFileSync(
      `${bin}/initdb`,
      ['-D', data, '-A', 'trust', '-U', 'forgelet', '--no-sync', '-E', 'UTF8', '--locale=C.UTF-8'],
      { ...account, stdio: 'ignore' },
    )
    const server = spawn(
      `${bin}/postgres`,
      ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off'],
      { ...account, stdio: 'ignore' },
    )
    const exited = new Promise((resolve) => server.once('exit', resolve))
    stopServer = async () => {
      server.kill('SIGQUIT')
      await exited
    }
    const admin = openPool(address('postgres'), 1)
    for (let tries = 0; tries < 200; tries += 1) {
      if (await admin.query('select 1').then(Boolean, () => false)) break
      await pause(25)
    }
    await admin.query('create database forgelet')
    await admin.query('create database newer')
    await admin.end()
  })
  afterAll(async () => {
    await stopServer()
    await rm(folder, { recursive: true, force: true })
  })

  async function start(database: string) {
    const data = await mkdtemp(join(folder, 'forgelet-'))
    await chmod(data, 0o711)
    const config = readConfig({
      FORGELET_DATA: data,
      FORGELET_PORT: '0',
      FORGELET_DATABASE_URL: urlOf(database),
      FORGELET_ROOT_TOKEN: TOKEN,
      FORGELET_SECRET_KEY: 'the same master key on all of the nodes',
    })
    return startServer({ config, log, withPassword: false })
  }

  test('the same program runs, and everything is there for the next process', async () => {
    const first = await start('forgelet')
    const root = new Client(first.url, { 'private-token': TOKEN })
    const { body: group } = await root.post('/groups', { name: 'Ext', path: 'ext' })
    const { body: project } = await root.post('/projects', { name: 'P', namespace_id: group.id })
    expect((await root.post(`/projects/${project.id}/labels`, { name: 'ü', color: 'red' })).status).toBe(201)
    await first.stop()
    const second = await start('forgelet')
    const again = new Client(second.url, { 'private-token': TOKEN })
    expect((await again.get('/projects/ext%2Fp/labels?search=%C3%9C')).body).toMatchObject([{ name: 'ü' }])
    await second.stop()
  })

  test('two processes on one database: what one changes, the other sees at once', async () => {
    const [one, two] = [await start('forgelet'), await start('forgelet')]
    const [here, there] = [one, two].map(({ url }) => new Client(url, { 'private-token': TOKEN }))
    const { body: group } = (await here?.post('/groups', { name: 'Two', path: 'two' })) ?? {}
    expect((await there?.get(`/groups/${group.id}`))?.body.full_path).toBe('two')
    await one.stop()
    await two.stop()
  })

  test('a database newer than the program is refused, and nothing is changed', async () => {
    const pool = openPool(address('newer'), 1)
    await pool.query(
      'create table migrations (number integer primary key, file text, applied_at timestamptz)',
    )
    await pool.query("insert into migrations values (9999, '9999-future.sql', now())")
    await expect(start('newer')).rejects.toThrow(DatabaseTooNew)
    await expect(start('newer')).rejects.toThrow(/migration 9999.*newer version/s)
    const { rows } = await pool.query(
      "select count(*)::int as tables from pg_tables where schemaname = 'public'",
    )
    expect(rows).toEqual([{ tables: 1 }])
    await pool.end()
  })
})
