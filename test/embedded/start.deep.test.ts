import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { binariesIn, findBinaries, linkLibraries } from '#platform/db/embedded/binaries.ts'
import { ClusterVersionMismatch, DataFolderBusy, EmbeddedUnavailable } from '#platform/db/embedded/index.ts'
import type { EmbeddedState } from '#platform/db/embedded/index.ts'
import { asRoot, folder, leftOn, namespacesPermitted, NOBODY, owner, query, start, until } from './helpers.ts'

describe('start and stop', { timeout: 180_000 }, () => {
  test('a restart keeps the data, in a folder with blanks and a very long path', async () => {
    const dataDir = join(folder(), 'with blanks', 'x'.repeat(120), 'data')
    const states: EmbeddedState[] = []
    const first = await start(dataDir, { onState: (state) => states.push(state) })
    expect(first.state()).toBe('running')
    await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await Promise.all([first.stop(), first.stop()])
    expect(states).toEqual(['starting', 'running', 'stopped'])
    expect(first.pid()).toBeUndefined()
    expect(existsSync(first.connection.host)).toBe(false)
    expect(leftOn(dataDir)).toEqual([])

    const second = await start(dataDir)
    expect(await query(second.connection, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    const settings = await query(
      second.connection,
      `SELECT current_setting('TimeZone') AS zone, current_setting('fsync') AS fsync,
         current_setting('data_checksums') AS checksums, datlocprovider AS provider, datlocale AS locale
       FROM pg_database WHERE datname = 'forgelet'`,
    )
    expect(settings).toEqual([
      { zone: 'UTC', fsync: 'on', checksums: 'on', provider: 'b', locale: 'C.UTF-8' },
    ])
    expect(statSync(second.connection.host).mode & 0o777).toBe(0o700)
  })

  test('a very long TMPDIR does not matter, nor do PG variables and a strange locale', async () => {
    onTestFinished(() => void vi.unstubAllEnvs())
    const long = join(folder(), 'y'.repeat(200))
    mkdirSync(long)
    const strange = { TMPDIR: long, PGPORT: '1', PGHOST: 'nowhere.invalid', PGDATA: '/', LC_ALL: 'xx_XX' }
    for (const [name, value] of Object.entries(strange)) vi.stubEnv(name, value)
    const { connection } = await start(join(long, 'data'), { ephemeral: true })
    expect(connection.host.length).toBeLessThan(80)
    expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('a start can be given up', async () => {
    const dataDir = join(folder(), 'data')
    const giveUp = new AbortController()
    const states: EmbeddedState[] = []
    const started = start(dataDir, { signal: giveUp.signal, onState: (state) => states.push(state) })
    await until(
      () => existsSync(dataDir) && readdirSync(dataDir).some((name) => name.startsWith('postgresql.init-')),
    )
    giveUp.abort(new Error('enough'))
    await expect(started).rejects.toThrow('enough')
    expect(states).toEqual(['starting', 'stopped'])
    expect(readdirSync(dataDir)).toEqual(['postgresql.log'])
    expect(leftOn(dataDir)).toEqual([])
  })

  test('an ephemeral database takes its folder with it, but never what was there before', async () => {
    const dataDir = folder()
    await (await start(dataDir, { ephemeral: true })).stop()
    expect(existsSync(dataDir)).toBe(false)

    const precious = folder()
    writeFileSync(join(precious, 'precious'), '')
    const database = await start(precious, { ephemeral: true })
    await expect(start(precious, { ephemeral: true })).rejects.toThrow(DataFolderBusy)
    await database.stop()
    expect(readdirSync(precious)).toEqual(['precious'])

    mkdirSync(join(precious, 'postgresql'))
    await expect(start(precious, { ephemeral: true })).rejects.toThrow(EmbeddedUnavailable)
    expect(readdirSync(precious)).toEqual(['postgresql', 'precious'])
  })
})

describe('refusals', { timeout: 180_000 }, () => {
  test('a cluster of another major version, and files that are no cluster', async () => {
    const dataDir = folder()
    mkdirSync(join(dataDir, 'postgresql'))
    writeFileSync(join(dataDir, 'postgresql', 'PG_VERSION'), '17\n')
    await expect(start(dataDir)).rejects.toThrow(ClusterVersionMismatch)
    await expect(start(dataDir)).rejects.toThrow(
      /PostgreSQL 17.*ships PostgreSQL 18.*forgelet database upgrade/,
    )
    rmSync(join(dataDir, 'postgresql', 'PG_VERSION'))
    writeFileSync(join(dataDir, 'postgresql', 'something'), '')
    await expect(start(dataDir)).rejects.toThrow(/no PG_VERSION/)
    expect(readdirSync(dataDir)).toEqual(['postgresql'])
  })

  test('a platform without a package', () => {
    expect(() => findBinaries('sunos', 'sparc')).toThrow(/sunos-sparc.*FORGELET_DATABASE_URL/)
  })

  test('a folder that another Forgelet owns, until that one is killed', async () => {
    const dataDir = folder()
    const first = await owner(dataDir)
    await expect(start(dataDir)).rejects.toThrow(DataFolderBusy)
    await expect(start(dataDir)).rejects.toThrow(`process ${first.process.pid}`)
    await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.kill()
    const second = await start(dataDir)
    expect(await query(second.connection, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
    expect(existsSync(first.connection.host)).toBe(false)
  })
})

describe('accounts', { timeout: 180_000 }, () => {
  test('an ordinary user runs it in a folder of their own', async (context) => {
    if (!asRoot) context.skip('not root: all other tests run as an ordinary user already')
    const dataDir = folder({ owner: NOBODY, mode: 0o700 })
    const running = await owner(dataDir, [], NOBODY)
    expect(statSync(join(dataDir, 'postgresql')).uid).toBe(NOBODY)
    expect(await query(running.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    const closed = new Promise((resolve) => running.process.once('close', resolve))
    running.process.kill('SIGTERM')
    await closed
    expect(leftOn(dataDir)).toEqual([])
  })

  test('a user without a name, as containers have', async (context) => {
    if (!asRoot) context.skip('needs root to become such a user')
    if (!namespacesPermitted(12_345)) context.skip('user namespaces are not permitted for users here')
    const dataDir = folder({ owner: 12_345, mode: 0o700 })
    const running = await owner(dataDir, ['ephemeral'], 12_345)
    expect(await query(running.connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('root below a closed folder uses a user namespace', async (context) => {
    if (!asRoot) context.skip('needs root')
    if (!namespacesPermitted()) context.skip('unshare is not permitted here')
    const dataDir = join(folder({ mode: 0o700 }), 'data')
    const first = await start(dataDir)
    expect(statSync(join(dataDir, 'postgresql')).uid).toBe(0)
    await query(first.connection, 'CREATE TABLE kept AS SELECT 42 AS answer')
    await first.stop()
    chmodSync(join(dataDir, '..'), 0o755) // open now; the owner of the cluster decides all the same
    const second = await start(dataDir)
    expect(await query(second.connection, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }])
  })

  test('a cluster whose owner cannot reach it is refused with the ways out', async (context) => {
    if (!asRoot) context.skip('needs root')
    const above = folder()
    const dataDir = join(above, 'data')
    await (await start(dataDir, { ephemeral: true, removeDataDirAtExit: false })).stop()
    expect(statSync(join(dataDir, 'postgresql')).uid).toBe(NOBODY)
    chmodSync(above, 0o700)
    await expect(start(dataDir)).rejects.toThrow(/FORGELET_DATA .*FORGELET_DATABASE_URL/)
  })

  test('libraries are linked elsewhere where the package cannot be written', async (context) => {
    if (asRoot && process.seteuid === undefined) context.skip('a worker thread cannot stop being root')
    const copy = folder()
    const { root } = findBinaries()
    for (const part of ['bin', 'lib', 'share/postgresql'])
      mkdirSync(join(copy, 'native', part), { recursive: true })
    cpSync(join(root, 'native', 'pg-symlinks.json'), join(copy, 'native', 'pg-symlinks.json'))
    const catalog = join('native', 'share', 'postgresql', 'postgres.bki')
    for (const file of [join('native', 'bin', 'postgres'), catalog])
      hardLink(join(root, file), join(copy, file))
    const libraries = readdirSync(join(root, 'native', 'lib'), { withFileTypes: true })
    for (const { name } of libraries.filter((entry) => entry.isFile() && entry.name.includes('.so'))) {
      hardLink(join(root, 'native', 'lib', name), join(copy, 'native', 'lib', name))
    }
    const { postgres } = binariesIn(copy)
    const version = (env: Record<string, string>): string =>
      execFileSync(postgres, ['--version'], { env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })
    expect(() => version({})).toThrow('Command failed')

    chmodSync(join(copy, 'native', 'lib'), 0o555)
    const elsewhere = join(folder(asRoot ? { owner: NOBODY } : {}), 'links')
    const env = linkAsNobody(copy, elsewhere)
    expect(env).toEqual({ LD_LIBRARY_PATH: elsewhere })
    expect(version(env)).toContain('PostgreSQL) 18')

    chmodSync(join(copy, 'native', 'lib'), 0o755)
    expect(await linkLibraries(binariesIn(copy), elsewhere)).toEqual({})
    expect(version({})).toContain('PostgreSQL) 18')
  })
})

/** What `linkLibraries` does for an account that may not write, in a process of its own: workers cannot change it. */
function linkAsNobody(copy: string, elsewhere: string): Record<string, string> {
  const script = `
    const [module, copy, elsewhere] = process.argv.slice(1)
    const { binariesIn, linkLibraries } = await import(module)
    if (process.geteuid() === 0) process.seteuid(${NOBODY})
    console.log(JSON.stringify(await linkLibraries(binariesIn(copy), elsewhere)))`
  const module = fileURLToPath(import.meta.resolve('#platform/db/embedded/binaries.ts'))
  const args = ['--input-type=module', '--eval', script, module, copy, elsewhere]
  return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Record<string, string>
}

describe('leftovers', { timeout: 180_000 }, () => {
  test('a pid file that names a stranger, and a socket folder of the past', async () => {
    const dataDir = folder()
    const cluster = join(dataDir, 'postgresql')
    await (await start(dataDir, { ephemeral: true, removeDataDirAtExit: false })).stop()
    const account = asRoot ? { uid: NOBODY, gid: NOBODY } : {}
    const stranger = spawn('sleep', ['60'], { ...account, cwd: '/' })
    onTestFinished(() => void stranger.kill('SIGKILL'))
    const sockets = join(dataDir, 'forgelet-old')
    mkdirSync(sockets)
    writeFileSync(join(sockets, '.s.PGSQL.5432.lock'), `${stranger.pid}\n`)
    writeFileSync(
      join(cluster, 'postmaster.pid'),
      `${stranger.pid}\n${cluster}\n1\n5432\n${sockets}\n\n 1 1\nready   \n`,
    )
    const { connection } = await start(dataDir)
    expect(await query(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
    expect(existsSync(sockets)).toBe(false)
  })
})

function hardLink(from: string, to: string): void {
  try {
    linkSync(from, to)
  } catch {
    cpSync(from, to) // another file system
  }
}
