import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, type QueryResultRow } from 'pg'
import { onTestFinished } from 'vitest'
import { startEmbedded, type EmbeddedDatabase, type EmbeddedOptions } from '#platform/db/embedded/index.ts'
import { serverProcesses } from '#platform/db/embedded/processes.ts'
import { PATIENCE } from '#test/patience.ts'

export const asRoot = process.geteuid?.() === 0
export const NOBODY = 65534

/** A folder for one test, passable for other users unless `mode` says otherwise. */
export function folder({ mode = 0o755, owner }: { mode?: number; owner?: number } = {}): string {
  const path = mkdtempSync(join(tmpdir(), 'embedded-test-'))
  chmodSync(path, mode)
  if (owner !== undefined) chownSync(path, owner, owner)
  onTestFinished(() => rmSync(path, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }))
  return path
}

export interface Lines {
  log: EmbeddedOptions['log']
  text: () => string
}

export function lines(): Lines {
  const all: string[] = []
  const add = (level: string) => (_: object, message: string) => void all.push(`${level} ${message}`)
  return { log: { info: add('info'), warn: add('warn'), error: add('error') }, text: () => all.join('\n') }
}

/** Starts a database that is stopped after the test at the latest. */
export async function start(
  dataDir: string,
  options: Partial<EmbeddedOptions> = {},
): Promise<EmbeddedDatabase> {
  const database = await startEmbedded({ dataDir, ephemeral: false, log: lines().log, ...options })
  onTestFinished(() => database.stop())
  return database
}

export async function query<Row extends QueryResultRow>(
  connection: EmbeddedDatabase['connection'],
  text: string,
): Promise<Row[]> {
  const client = new Client(connection)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<Row>(text)).rows
  } finally {
    await client.end()
  }
}

export interface Owner {
  process: ChildProcess
  connection: EmbeddedDatabase['connection']
  postmaster: number
  /** The ids of the rows acknowledged so far. */
  acknowledged: () => string[]
  kill(): Promise<void>
}

/** Runs `owner.ts` in a process of its own, without waiting for it to be ready. */
export function spawnOwner(dataDir: string, flags: string[] = [], uid?: number): ChildProcess {
  const script = join(import.meta.dirname, 'owner.ts')
  const child = spawn(process.execPath, [script, dataDir, ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd: '/',
    ...(uid === undefined ? {} : { uid, gid: uid, env: { ...process.env, HOME: '/' } }),
  })
  onTestFinished(() => kill(child))
  return child
}

export async function owner(dataDir: string, flags: string[] = [], uid?: number): Promise<Owner> {
  const child = spawnOwner(dataDir, flags, uid)
  let output = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (output += text))
  let ended = false
  child.once('close', () => (ended = true))
  await until(() => {
    if (ended) throw new Error('the owner ended before it was ready')
    return output.includes('\n')
  })
  const [, host = '', pid = '', password = ''] = /^ready (\S+) (\d+) (\S+)\n/.exec(output) ?? []
  return {
    process: child,
    connection: { host, port: 5432, user: 'forgelet_app', password, database: 'forgelet' },
    postmaster: Number(pid),
    // The last line may be half written; it was acknowledged for nobody.
    acknowledged: () => output.split('\n').slice(1, -1),
    kill: () => kill(child),
  }
}

/** Kills a process of ours and waits until it is gone and all its output has been read. */
export async function kill(child: ChildProcess): Promise<void> {
  if (child.stdout?.closed !== false && (child.exitCode !== null || child.signalCode !== null)) return
  const closed = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await closed
}

/** The watchdog of a data folder. @throws where there is none: a signal for no process at all would be one for our group */
export function watchdogOf(dataDir: string): number {
  const found = findWatchdog(dataDir)
  if (found === undefined) throw new Error('there is no watchdog')
  return found
}

/** The same where there may be none at the moment. */
export function findWatchdog(dataDir: string): number | undefined {
  return processes().find(
    ({ args }) => args[3] === 'forgelet-watchdog' && args[4] === join(dataDir, 'postgresql'),
  )?.pid
}

/** Everything that still works on a data folder. */
export function leftOn(dataDir: string): number[] {
  const cluster = join(dataDir, 'postgresql')
  const servers = existsSync(cluster) ? serverProcesses(cluster) : []
  return [
    ...servers,
    ...processes()
      .filter(({ args }) => args.some((arg) => arg.includes(dataDir)))
      .map(({ pid }) => pid),
  ]
}

/** A process of the server itself, which serves no connection. */
export function checkpointerOf(database: EmbeddedDatabase): number {
  const found = processes().find(
    ({ pid, args }) =>
      args[0]?.startsWith('postgres: checkpointer') === true &&
      readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${database.pid()}\n`),
  )
  if (found === undefined) throw new Error('there is no checkpointer')
  return found.pid
}

function processes(): { pid: number; args: string[] }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [{ pid: Number(name), args: readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0') }]
      } catch {
        return []
      }
    })
}

export async function until(condition: () => unknown, patience = PATIENCE): Promise<void> {
  const deadline = Date.now() + patience
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`waited in vain for ${String(condition)}`)
    await delay(5)
  }
}

/** Whether a user may make user namespaces here. */
export function namespacesPermitted(uid?: number): boolean {
  try {
    const user = uid === undefined ? {} : { uid, gid: uid }
    execFileSync('unshare', ['-U', '--map-user=65534', '--map-group=65534', '--', 'true'], {
      stdio: 'ignore',
      ...user,
    })
    return true
  } catch {
    return false
  }
}
