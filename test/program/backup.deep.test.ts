import { execFile } from 'node:child_process'
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { gunzipSync, gzipSync } from 'node:zlib'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { readConfig } from '#platform/config/config.ts'
import { openPool } from '#platform/db/pool.ts'
import { Stores } from '#platform/files/stores.ts'
import { createLog } from '#platform/log.ts'
import { backUp } from '#program/backup/back-up.ts'
import { RESTORE_TABLE } from '#platform/db/restore-mark.ts'
import { png } from '#tenancy/avatars/test-support.ts'
import { Client } from '#test/client.ts'
import { plainEnvironment } from '#test/environment.ts'
import { newBareDatabase, newDatabase, urlOf } from '#test/new-database.ts'
import { s3, s3Installed } from '#test/s3.ts'
import { temporaryFolder } from '#platform/temporary-folder.ts'
import { ROOT_TOKEN } from '#test/database.ts'
import { folder, forgelet, type Program, READY } from './forgelet.ts'
import { forgelet as inProcess } from './in-process.ts'
import { asRoot, digestsOf, fill, object, objectAt } from './some-of-everything.ts'

const KEY = 'the master key of the tests, long enough'
const MAIN = join(import.meta.dirname, '../../scripts/start.js')

/** The instance that is backed up: a server that goes on running. */
interface Source {
  readonly environment: NodeJS.Dict<string>
  readonly database: Awaited<ReturnType<typeof newDatabase>>
  readonly client: Client
  readonly project: number
  /** Of all files. */
  readonly contents: readonly Buffer[]
  /** A backup of it, not encrypted, made while nobody wrote. */
  readonly backup: string
  /** What the command told. */
  readonly told: string
  /** What was in the tables meanwhile. */
  readonly rows: Readonly<Record<string, string>>
}

let source: Source
const cleanup = new AsyncDisposableStack()
afterAll(() => cleanup.disposeAsync())

beforeAll(async () => {
  // Each command in this process listens for signals.
  process.setMaxListeners(50)
  const data = cleanup.use(await temporaryFolder()).path
  const elsewhere = cleanup.use(await temporaryFolder()).path
  const database = await newDatabase('empty')
  const environment = {
    FORGELET_DATA: data,
    FORGELET_DATABASE_URL: urlOf(database),
    FORGELET_SECRET_KEY: KEY,
    FORGELET_ROOT_TOKEN: ROOT_TOKEN,
    FORGELET_PORT: '0',
  }
  const server = spawn(process.execPath, [MAIN], {
    env: { ...plainEnvironment(), ...environment },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  cleanup.defer(async () => {
    server.kill('SIGTERM')
    await once(server, 'close')
  })
  let out = ''
  for await (const piece of server.stdout) if (READY.test((out += String(piece)))) break
  server.stdout.resume()
  const client = new Client(READY.exec(out)?.[1] ?? '', { 'private-token': ROOT_TOKEN })
  const picture = await png(24)
  const { id: project, contents } = await fill(client, picture)
  const backup = join(elsewhere, 'backup')
  const pool = openPool(database, 1)
  cleanup.defer(() => pool.end())
  // Jobs write for a moment after the last request.
  for (;;) {
    const rows = await rowsOf(pool)
    const made = await inProcess(['backup', backup], environment)
    if (made.code !== 0) throw new Error(made.err)
    source = { environment, database, client, project, contents, backup, rows, told: made.err }
    if (JSON.stringify(await rowsOf(pool)) === JSON.stringify(rows)) break
    rmSync(backup)
  }
}, 180_000)

/** A place to restore to: a data folder and an empty database of its own. */
async function place() {
  const database = await newBareDatabase()
  const environment = { FORGELET_DATA: join(folder(), 'data'), FORGELET_DATABASE_URL: urlOf(database) }
  return { database, environment }
}

function opened(database: Awaited<ReturnType<typeof newDatabase>>): pg.Pool {
  const pool = openPool(database, 2)
  onTestFinished(() => pool.end())
  return pool
}

/** Each table with its number of rows and a digest of them, but for what belongs to running processes and to folders. */
async function rowsOf(pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
    where relkind = 'r' and nspname in ('public', 'partitions', 'graphile_worker') order by 1`,
  )
  const own = [
    'migrations',
    'leases',
    'job_workers',
    'file_leftovers',
    'repository_storages',
    'graphile_worker.migrations',
  ]
  const of = rows.filter(({ name }) => !own.includes(name) && !name.includes('_private_'))
  const found: Record<string, string> = {}
  for (const { name } of of) {
    const digest = `select count(*) || ' ' || coalesce(md5(string_agg(t::text, e'\\n' order by t::text)), '') as rows from ${name} t`
    found[name] = (await pool.query<{ rows: string }>(digest)).rows[0]?.rows ?? ''
  }
  return found
}

/** The references of each repository, by its path. */
async function referencesIn(data: string, pool: pg.Pool): Promise<Record<string, string>> {
  const { rows } = await pool.query<{ path: string }>(
    'select relative_path as path from repositories where made_at is not null',
  )
  const found: Record<string, string> = {}
  for (const { path } of rows) {
    const at = join(data, 'repositories', path)
    const { stdout } = await promisify(execFile)('git', ['--git-dir', at, 'for-each-ref'])
    found[path] = `${readFileSync(join(at, 'HEAD'), 'utf8')}${stdout}`
  }
  return found
}

describe('forgelet backup and restore', () => {
  test('bring back every row, reference and file into an external database', async () => {
    expect(source.told).toMatch(/\d+ tables, 7 files and \d+ repositories as of .*with the secret key/)
    const { database, environment } = await place()
    const restored = await inProcess(['restore', source.backup], environment)
    expect(restored).toMatchObject({ code: 0, err: expect.stringMatching(/^restored .* as of /m) })
    const [before, after] = [opened(source.database), opened(database)]
    const rows = await rowsOf(after)
    expect(rows).toEqual(source.rows)
    expect(rows['issues']).toMatch(/^1 /)
    expect(rows['release_links']).toMatch(/^1 /)
    const references = await referencesIn(environment.FORGELET_DATA, after)
    expect(references).toEqual(await referencesIn(source.environment['FORGELET_DATA'] ?? '', before))
    expect(Object.values(references).join('')).toMatch(/refs\/heads\/topic[^]*refs\/tags\/v1/)
    expect(readFileSync(join(environment.FORGELET_DATA, 'secret.key'), 'utf8')).toBe(`${KEY}\n`)
    const { rows: files } = await after.query<{ key: string }>('select key from files')
    const contents = files.map(({ key }) => readFileSync(join(environment.FORGELET_DATA, 'files', key)))
    expect(digestsOf(contents)).toEqual(digestsOf(source.contents))
    const { rows: broken } = await after.query(
      "select conname from pg_constraint where contype = 'f' and not convalidated",
    )
    expect(broken).toEqual([])
  }, 180_000)

  test('work while people write: what is restored is as of one moment, encrypted, through standard output and input', async () => {
    const { client, project } = source
    const secret = join(folder(), 'passphrase')
    writeFileSync(secret, 'correct horse battery staple\n')
    const path = join(folder(), 'backup')
    const over = new AbortController()
    let written = 0
    const writing = (async () => {
      for (; !over.signal.aborted; written += 1) {
        const action = { action: 'create', file_path: `${written}.txt`, content: `${written}` }
        const json = { branch: 'main', commit_message: `commit ${written}`, actions: [action] }
        expect((await client.send('POST', `/projects/${project}/repository/commits`, { json })).status).toBe(
          201,
        )
        const form = new URLSearchParams({ title: `issue ${written}` })
        expect((await client.send('POST', `/projects/${project}/issues`, { form })).status).toBe(201)
      }
    })()
    await expect.poll(() => written).toBeGreaterThan(2)
    const out = openSync(path, 'w', 0o600)
    const backup = spawn(process.execPath, [MAIN, 'backup', '-', '--passphrase-file', secret], {
      env: { ...plainEnvironment(), ...source.environment },
      stdio: ['ignore', out, 'pipe'],
    })
    const [code] = await once(backup, 'close')
    closeSync(out)
    over.abort()
    await writing
    expect(code).toBe(0)
    expect(readFileSync(path).includes('issue 1')).toBe(false)

    const wrong = join(folder(), 'wrong')
    writeFileSync(wrong, 'incorrect horse')
    expect(await inProcess(['backup', 'verify', path, '--passphrase-file', wrong])).toMatchObject({
      code: 1,
      err: expect.stringContaining('the passphrase is wrong'),
    })
    expect((await inProcess(['backup', 'verify', path])).err).toContain(
      'give its passphrase with --passphrase-file',
    )
    const bytes = readFileSync(path)
    const verified = await inProcess(['backup', 'verify', path, '--passphrase-file', secret])
    expect(verified).toMatchObject({ code: 0, out: expect.stringMatching(/^whole: /) })

    const data = join(folder(), 'data')
    const input = openSync(path, 'r')
    const restore = spawn(process.execPath, [MAIN, 'restore', '-', '--passphrase-file', secret], {
      env: { ...plainEnvironment(), FORGELET_DATA: data },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    restore.stdin.end(bytes)
    let err = ''
    restore.stderr.on('data', (piece) => (err += String(piece)))
    expect([(await once(restore, 'close'))[0], err]).toEqual([
      0,
      expect.stringMatching(/^restored the backup/m),
    ])
    closeSync(input)
    // Repositories that were ahead of the rows would be corrected, and told.
    expect(err).not.toContain('out of date')

    const server = forgelet([], { FORGELET_DATA: data })
    const there = new Client(await server.saying(READY), { 'private-token': ROOT_TOKEN })
    const fetched = await fetch(objectAt(there), { headers: asRoot })
    expect(Buffer.from(await fetched.arrayBuffer())).toEqual(object)
    const issues = Number((await there.get(`/projects/${project}/issues`)).headers.get('x-total')) - 1
    const { headers } = await there.get(`/projects/${project}/repository/commits?with_stats=false&per_page=1`)
    const commits = (await there.get(`/projects/${project}?statistics=true`)).body.statistics.commit_count - 1
    expect(headers.get('x-page')).toBe('1')
    expect(commits - issues).toBeOneOf([0, 1])
    expect(commits).toBeGreaterThan(1)
    const another = { title: 'after the restore' }
    expect((await there.send('POST', `/projects/${project}/issues`, { json: another })).body.iid).toBe(
      issues + 2,
    )
    server.process.kill('SIGTERM')
    expect(await server.ended).toBe(0)
  }, 180_000)

  test('keeps what is removed meanwhile until it is copied', async () => {
    const { client, environment, database } = source
    const pool = opened(database)
    const { body } = await client.send('POST', '/projects', {
      json: { name: 'short-lived', initialize_with_readme: true },
    })
    const ofIt = 'select id, relative_path as path, project_id from repositories'
    const { rows } = await pool.query<{ id: number; path: string }>(`${ofIt} where project_id = $1`, [
      body.id,
    ])
    const [{ id, path } = { id: 0, path: '' }] = rows
    const at = join(environment['FORGELET_DATA'] ?? '', 'repositories', path)
    expect(existsSync(at)).toBe(true)
    const tidy = async () => {
      await pool.query("select graphile_worker.add_job('repositories/tidy', '{}')")
      const waiting =
        "select count(*)::int as jobs from graphile_worker.jobs where task_identifier = 'repositories/tidy'"
      const jobs = async () => (await pool.query<{ jobs: number }>(waiting)).rows[0]?.jobs
      await expect.poll(jobs).toBe(0)
    }

    const parts = backUp({
      address: database,
      config: readConfig(environment),
      log: createLog('silent'),
      withKey: false,
      signal: new AbortController().signal,
      onProgress: () => {},
      onMissing: (what) => expect(what).toBe('nothing'),
      onHeader: () => {},
    })
    // The header comes when the moment of the backup is fixed. Nothing is copied yet.
    await parts.next()
    expect((await client.send('DELETE', `/projects/${body.id}`)).status).toBe(202)
    const owner = async () =>
      (await pool.query(`${ofIt} where relative_path = $1`, [path])).rows[0]?.project_id
    await expect.poll(owner).toBe(null)
    await tidy()
    expect(existsSync(at)).toBe(true)
    const copied: string[] = []
    for await (const { name, content } of parts) {
      for await (const piece of content) if (piece.length > 0 && copied.at(-1) !== name) copied.push(name)
    }
    expect(copied).toEqual(
      expect.arrayContaining([`repositories/${id}/references`, `repositories/${id}/pack`]),
    )
    await tidy()
    expect(existsSync(at)).toBe(false)
  }, 180_000)

  test.skipIf(!s3Installed)(
    'carry files from a folder into S3, and from S3 into another S3',
    async () => {
      const [one, other] = [await s3(), await s3()]
      const [first, second] = [await place(), await place()]
      const inOne = { ...first.environment, ...one.environment() }
      const inOther = { ...second.environment, ...other.environment() }
      expect(await inProcess(['restore', source.backup], inOne)).toMatchObject({ code: 0 })
      expect(one.keys()).toHaveLength(7)
      const path = join(folder(), 'backup')
      expect(await inProcess(['backup', path], inOne)).toMatchObject({ code: 0 })
      expect(await inProcess(['restore', path], inOther)).toMatchObject({ code: 0 })
      const pool = opened(second.database)
      const { rows } = await pool.query<{ storage: string; key: string }>('select storage, key from files')
      expect(new Set(rows.map(({ storage }) => storage))).toEqual(new Set(['s3']))
      expect(new Set(rows.map(({ key }) => key))).toEqual(new Set(other.keys()))
      // A restored instance that removes a file removes none of the other's.
      expect(other.keys()).not.toEqual(one.keys())
      const store = await new Stores(readConfig(inOther)).of('s3')
      const contents = await Promise.all(
        rows.map(async ({ key }) => {
          const bytes = await store.read(key)
          return bytes && buffer(bytes)
        }),
      )
      expect(digestsOf(contents)).toEqual(digestsOf(source.contents))
    },
    180_000,
  )

  test('without the key: says so, and needs it again', async () => {
    const path = join(folder(), 'backup')
    const made = await inProcess(['backup', path, '--without-key'], source.environment)
    expect(made).toMatchObject({ code: 0, err: expect.stringContaining('WITHOUT the secret key') })
    expect((await inProcess(['backup', 'verify', path])).out).toContain('WITHOUT the secret key')
    const { environment } = await place()
    const refused = await inProcess(['restore', path], environment)
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('set FORGELET_SECRET_KEY') })
    const other = { ...environment, FORGELET_SECRET_KEY: 'another key, which is long enough too' }
    expect((await inProcess(['restore', path], other)).err).toContain('is not that of the backup')
    expect(existsSync(environment.FORGELET_DATA)).toBe(false)
  }, 180_000)
})

describe('a backup is refused', () => {
  const damaged = (change: (bytes: Buffer) => Buffer): string => {
    const path = join(folder(), 'backup')
    writeFileSync(path, change(readFileSync(source.backup)))
    return path
  }

  test('when it is cut off, altered, or none', async () => {
    const cut = damaged((bytes) => bytes.subarray(0, bytes.length / 2))
    expect(await inProcess(['backup', 'verify', cut])).toMatchObject({
      code: 1,
      err: expect.stringContaining('ends too early'),
    })
    const unfinished = damaged((bytes) => gzipSync(gunzipSync(bytes).subarray(0, -2560)))
    expect((await inProcess(['backup', 'verify', unfinished])).err).toMatch(/ends too early|is damaged/)
    const altered = damaged((bytes) => {
      const plain = gunzipSync(bytes)
      plain.write('TO', plain.indexOf('to be kept'))
      return gzipSync(plain)
    })
    expect((await inProcess(['backup', 'verify', altered])).err).toMatch(/database\/\w+\.\w+ was altered/)
    const none = damaged(() => Buffer.from('hello'))
    expect(await inProcess(['backup', 'verify', none])).toMatchObject({
      code: 1,
      err: expect.stringContaining('this is no backup'),
    })

    // A restore finds it at the end, and leaves what nothing takes for an instance.
    const { environment } = await place()
    expect(await inProcess(['restore', altered], environment)).toMatchObject({
      code: 1,
      err: expect.stringContaining('was altered'),
    })
    expect((await inProcess(['migrate'], environment)).err).toContain('or that was interrupted')
  }, 180_000)

  test('by a program that does not know its migrations', async () => {
    const newer = damaged((bytes) => {
      const plain = gunzipSync(bytes)
      const at = plain.indexOf('0001-')
      plain.write('9999-', at)
      return gzipSync(plain)
    })
    const { environment } = await place()
    expect((await inProcess(['restore', newer], environment)).err).toContain('was made by a newer version')
    expect(existsSync(environment.FORGELET_DATA)).toBe(false)
  })

  test('where something is already', async () => {
    const { environment } = await place()
    const full = { ...environment, FORGELET_DATA: folder() }
    writeFileSync(join(full.FORGELET_DATA, 'something'), '')
    expect((await inProcess(['restore', source.backup], full)).err).toContain(
      'is not empty (it has something)',
    )
    const used = { ...environment, FORGELET_DATABASE_URL: urlOf(await newDatabase('empty')) }
    expect((await inProcess(['restore', source.backup], used)).err).toContain('the database is not empty')
    expect((await inProcess(['backup', source.backup], source.environment)).err).toContain('exists already')
  }, 180_000)
})

describe('kill -9', () => {
  const killed = async (program: Program) => {
    program.process.kill('SIGKILL')
    expect(await program.ended).toBe('SIGKILL')
  }

  test('during a backup leaves no file of its name, and the next backup works', async () => {
    const at = folder()
    const program = forgelet(['backup', join(at, 'backup')], source.environment)
    await expect.poll(() => readdirSync(at), { interval: 5 }).toEqual(['backup.part'])
    await killed(program)
    expect(existsSync(join(at, 'backup'))).toBe(false)
    expect((await inProcess(['backup', 'verify', join(at, 'backup.part')])).code).toBe(1)
    expect(await inProcess(['backup', join(at, 'backup')], source.environment)).toMatchObject({ code: 0 })
    expect(readdirSync(at)).toEqual(['backup'])
  }, 180_000)

  test('during a restore leaves what no server starts on', async () => {
    const { database, environment } = await place()
    const program = forgelet(['restore', source.backup], environment)
    const pool = opened(database)
    const begun = async () => {
      const { rows } = await pool.query(
        `select to_regclass('${RESTORE_TABLE}') is not null and to_regclass('migrations') is not null as begun`,
      )
      return rows[0].begun
    }
    await expect.poll(begun, { interval: 5 }).toBe(true)
    await killed(program)
    const server = forgelet([], environment)
    expect([await server.ended, server.err()]).toEqual([
      1,
      expect.stringContaining('remove everything in the folder'),
    ])
    const elsewhere = { ...environment, FORGELET_DATA: folder() }
    expect((await inProcess(['migrate'], elsewhere)).err).toContain('drop the database')
    expect((await inProcess(['restore', source.backup], environment)).err).toContain('was interrupted')
    rmSync(environment.FORGELET_DATA, { recursive: true })
    expect((await inProcess(['restore', source.backup], environment)).err).toContain('drop the database')
  }, 180_000)
})
