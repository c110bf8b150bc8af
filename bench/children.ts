import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import autocannon from 'autocannon'

/** A script of this folder in a process of its own, once it has said where it is. */
export interface Child<Said> {
  readonly process: ChildProcess
  readonly said: Said
  /** Milliseconds from the spawn to the first word. */
  readonly ms: number
  stop(): Promise<void>
}

export async function startChild<Said>(
  script: string,
  args: readonly string[],
  env: NodeJS.Dict<string> = {},
): Promise<Child<Said>> {
  const begun = performance.now()
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, [path, ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout, 'data')
  return {
    process: child,
    said: JSON.parse(String(line)),
    ms: performance.now() - begun,
    stop: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    },
  }
}

/** A request to be sent over and over. */
export interface Load {
  readonly url: string
  readonly headers?: Record<string, string>
  /** The body of a POST; without one it is a GET. */
  readonly body?: string
}

/** Requests a second at 10 connections, for that many seconds. Fails when an answer is none of success. */
export async function throughput({ url, headers = {}, body }: Load, seconds: number): Promise<number> {
  const posting =
    body === undefined
      ? { headers }
      : { method: 'POST' as const, body, headers: { ...headers, 'content-type': 'application/json' } }
  const result = await autocannon({ url, ...posting, connections: 10, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`)
  return result.requests.average
}

/** CPU microseconds for one request, of the process and all that it started, PostgreSQL included. */
export async function cpuOfRequest(child: ChildProcess, load: Load, seconds: number): Promise<number> {
  const before = await cpuOf(child.pid ?? 0)
  const perSecond = await throughput(load, seconds)
  return ((await cpuOf(child.pid ?? 0)) - before) / (perSecond * seconds)
}

/** The process and all its descendants. */
async function familyOf(root: number): Promise<number[]> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    parents.set(Number(name), Number((await statOf(Number(name)))[1]))
  }
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parents.get(pid) ?? 0))
  return [...parents.keys()].filter(isBelow)
}

/** The fields of /proc/PID/stat behind the name: state, parent, …; empty for a process that is gone. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Microseconds; the kernel counts in hundredths of a second. */
async function cpuOf(root: number): Promise<number> {
  let ticks = 0
  for (const pid of await familyOf(root)) {
    const fields = await statOf(pid)
    // What ended processes used is counted by their parents.
    ticks += [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index] ?? 0), 0)
  }
  return ticks * 10_000
}

/** Megabytes that a process and all its descendants use, shared pages in proportion (PSS). */
export async function memoryOf(root: number): Promise<number> {
  let kilobytes = 0
  for (const pid of await familyOf(root)) {
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  }
  return kilobytes / 1024
}
