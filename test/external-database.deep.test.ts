import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { chmod, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { DatabaseTooNew } from '#platform/db/migrate.ts'
import { openPool } from '#platform/db/pool.ts'
import { startServer } from '#server.ts'
import { Client } from './client.ts'
import { until } from './until.ts'

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
    mkdirSync(join(folder, 'wal'), { mode: 0o777 })
    chmodSync(join(folder, 'wal'), 0o777)
    stopServer = await postgres(data, folder, settingsOfGuide())
    const admin = openPool(address('postgres'), 1)
    await admin.query('create database forgelet')
    await admin.query('create database newer')
    await admin.end()
  })
  afterAll(async () => {
    await stopServer()
    await rm(folder, { recursive: true, force: true })
  })

  /** What the guide recommends to those who make base backups. */
  function settingsOfGuide(): string[] {
    const guide = readFileSync(new URL('../docs/guides/postgresql.md', import.meta.url), 'utf8')
    const [, block = ''] = /^# postgresql.conf\n(.*?)^```$/ms.exec(guide) ?? []
    const settings = block.trim().split('\n')
    expect(settings).toHaveLength(4)
    return settings.flatMap((line) => {
      const [, name = '', value = ''] = /^(\w+) = '?(.*?)'?$/.exec(line) ?? []
      return ['-c', `${name}=${value.replaceAll('/backup/wal', join(folder, 'wal'))}`]
    })
  }

  /** Runs a server on a cluster, until the returned function stops it. */
  async function postgres(data: string, sockets: string, settings: readonly string[] = []) {
    const args = ['-D', data, '-k', sockets, '-c', 'listen_addresses=', '-c', 'fsync=off', ...settings]
    const server = spawn(`${bin}/postgres`, args, { ...account, stdio: 'ignore' })
    const exited = new Promise((resolve) => server.once('exit', resolve))
    const admin = openPool({ ...address('postgres'), host: sockets }, 1)
    await until(() => admin.query('select 1'))
    await admin.end()
    return async () => {
      server.kill('SIGQUIT')
      await exited
    }
  }

  async function start(database: string, url = urlOf(database)) {
    const data = await mkdtemp(join(folder, 'forgelet-'))
    await chmod(data, 0o711)
    const config = readConfig({
      FORGELET_DATA: data,
      FORGELET_PORT: '0',
      FORGELET_DATABASE_URL: url,
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

  test('a base backup, made with the settings of the guide while a server writes, is a database to start on', async () => {
    const source = await start('forgelet')
    const root = new Client(source.url, { 'private-token': TOKEN })
    const { body: project } = await root.post('/projects', { name: 'Base backup' })
    const label = (name: string) => root.post(`/projects/${project.id}/labels`, { name, color: 'red' })
    for (const name of ['before 1', 'before 2']) expect((await label(name)).status).toBe(201)
    const copy = await mkdtemp(join(folder, 'base-'))
    if (account.uid !== undefined) await chown(copy, account.uid, account.gid)
    await chmod(copy, 0o700)
    const args = ['--pgdata', copy, '--host', folder, '--username', 'forgelet', '--no-sync']
    const backup = spawn(
      `${bin}/pg_basebackup`,
      [...args, '--checkpoint', 'fast', '--wal-method', 'stream'],
      {
        ...account,
        stdio: 'ignore',
      },
    )
    const ended = new Promise<number | null>((resolve) => backup.once('exit', resolve))
    for (let count = 0; backup.exitCode === null && count < 2_000; count += 1) await label(`during ${count}`)
    expect(await ended).toBe(0)
    await source.stop()

    const sockets = await mkdtemp(join(folder, 's-'))
    await chmod(sockets, 0o711)
    if (account.uid !== undefined) await chown(sockets, account.uid, account.gid)
    const stopCopy = await postgres(copy, sockets)
    const url = `postgres://forgelet@/forgelet?host=${encodeURIComponent(sockets)}`
    const restored = await start('forgelet', url)
    const there = new Client(restored.url, { 'private-token': TOKEN })
    const { body: labels } = await there.get(`/projects/${project.id}/labels?search=before`)
    expect(labels.map(({ name }: { name: string }) => name)).toEqual(['before 1', 'before 2'])
    await restored.stop()
    await stopCopy()
    // The archive has the log, for the time after the backup.
    expect(readdirSync(join(folder, 'wal')).filter((name) => /^[0-9A-F]{24}$/.test(name))).not.toEqual([])
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
