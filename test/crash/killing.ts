import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import type pg from 'pg'
import { inject, onTestFinished } from 'vitest'
import { runningConnection } from '#platform/db/embedded/running.ts'
import { openPool } from '#platform/db/pool.ts'
import { LONGEST_DELIVERY } from '#platform/mail/mail-server.ts'
import { plainEnvironment } from '#test/environment.ts'

/** The administrator's token on the servers that are killed. */
export const TOKEN = 'glpat-the-token-of-the-crash-tests'
/** As `npm start` does it: the built program, which loads in a third of the time. */
const MAIN = join(import.meta.dirname, '../../scripts/start.js')

export interface Started {
  readonly child: ChildProcess
  readonly url: string
}

/** Starts a server in a process of its own. @param more what its environment has besides */
export async function start(data: string, more: NodeJS.Dict<string> = {}): Promise<Started> {
  const own = { FORGELET_DATA: data, FORGELET_PORT: '0', FORGELET_ROOT_TOKEN: TOKEN }
  const level = process.env['TEST_LOG'] ?? 'silent'
  const child = spawn(process.execPath, [MAIN, '--ready-file=/dev/fd/3'], {
    env: { ...plainEnvironment(), ...own, FORGELET_LOG_LEVEL: level, ...more },
    stdio: ['ignore', level === 'silent' ? 'ignore' : 'inherit', 'inherit', 'pipe'],
  })
  const [line] = await Promise.race([
    once(child.stdio[3] as NodeJS.ReadableStream, 'data'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`Forgelet ended with ${String(code)}`))),
  ])
  return { child, url: JSON.parse(String(line)).url }
}

/** A data folder for one test, with an instance in it that was set up before. */
export async function dataFolder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'forgelet-crash-'))
  onTestFinished(() => rm(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }))
  await promisify(execFile)('cp', ['-a', `${await template()}/.`, path])
  await chmod(path, 0o711)
  return path
}

/** An instance that nobody has used. Making one takes longer than all else that most of these tests do: a run makes one. */
async function template(): Promise<string> {
  const made = join(inject('dataDir'), 'crash-template')
  const draft = `${made}.draft`
  for (;;) {
    if (await exists(made)) return made
    // Whoever makes the folder makes the instance; the other workers wait.
    if (
      await mkdir(draft, { mode: 0o711 }).then(
        () => true,
        () => false,
      )
    )
      break
    await pause(20)
  }
  try {
    const { child } = await start(draft)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const [code] = await ended
    if (code !== 0) throw new Error(`Forgelet ended with ${String(code)}`)
    await rename(draft, made)
    return made
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  )

/** Ends the server, its database and every git process that works below the data folder, all at once. */
export async function killEverything(child: ChildProcess, data: string): Promise<void> {
  const postmaster = await readFile(join(data, 'postgresql', 'postmaster.pid'), 'utf8').catch(() => '')
  const exited = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
  child.kill('SIGKILL')
  const pids = [...(await workingBelow(join(data, 'repositories'))), Number(postmaster.split('\n')[0])]
  for (const pid of pids.filter((pid) => pid > 1)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
  }
  await exited
}

async function workingBelow(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(
    pids.map(async (pid) =>
      (await readlink(`/proc/${pid}/cwd`).catch(() => '')).startsWith(folder) ? [Number(pid)] : [],
    ),
  )
  return found.flat()
}

/** Works on the database of a server that runs. */
export async function onDatabase<T>(data: string, work: (pool: pg.Pool) => Promise<T>): Promise<T> {
  const address = await runningConnection({ dataDir: data, secretKey: undefined })
  if (address === undefined) throw new Error('the database does not run')
  const pool = openPool(address, 1)
  try {
    return await work(pool)
  } finally {
    await pool.end()
  }
}

/**
 * What waits some time for whoever was killed, because it might still live, waits no longer: leases, mails that it had taken,
 * and its jobs, which the next heartbeat of the new server frees.
 * @param killed a moment when it was gone, and no longer sent heartbeats; what the new server has taken since stays its own.
 */
export async function giveUpOn(data: string, killed: Date): Promise<void> {
  await onDatabase(data, async (pool) => {
    await pool.query(`delete from leases where until < $1::timestamptz + interval '15 s'`, [killed])
    const taken = `ended_at is null and due_at < $1::timestamptz + make_interval(secs => $2)`
    await pool.query(`update mails set due_at = now() where ${taken}`, [
      killed,
      (2 * LONGEST_DELIVERY) / 1000,
    ])
    await pool.query(`update job_workers set seen_at = '-infinity' where seen_at < $1`, [killed])
  })
}
