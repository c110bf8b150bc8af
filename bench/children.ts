import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** A script of this folder that runs in a process of its own. */
export interface Child<Said> extends AsyncDisposable {
  readonly pid: number
  /** Its first line, which is JSON. */
  readonly said: Said
  /** Milliseconds from the spawn to the first line. */
  readonly ms: number
}

/** Starts a script and waits for its first line. */
export async function startChild<Said>(
  script: string,
  args: readonly unknown[] = [],
  env: NodeJS.Dict<string> = {},
): Promise<Child<Said>> {
  const begun = performance.now()
  const path = fileURLToPath(new URL(script, import.meta.url))
  const child = spawn(process.execPath, [path, ...args.map((arg) => JSON.stringify(arg))], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line'),
    once(child, 'exit').then(([code]) => Promise.reject(new Error(`${script} ended with ${String(code)}`))),
  ])
  return {
    pid: child.pid ?? 0,
    said: JSON.parse(String(line[0])),
    ms: performance.now() - begun,
    [Symbol.asyncDispose]: () => end(child),
  }
}

/** Ends a process, so that it can end what it started; after half a minute without asking. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const stuck = setTimeout(() => child.kill('SIGKILL'), 30_000)
  await gone
  clearTimeout(stuck)
}

/** A folder that is removed at the end. PostgreSQL may write into it for a moment longer. */
export async function temporaryFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'forgelet-bench-'))
  return {
    path,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }),
  }
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

/** The fields of /proc/PID/stat after the name: state, parent, …; empty for a process that is gone. */
async function statOf(pid: number): Promise<string[]> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** CPU microseconds that a process and all its descendants have used. The kernel counts hundredths of a second. */
export async function cpuOf(root: number): Promise<number> {
  let ticks = 0
  for (const pid of await familyOf(root)) {
    const fields = await statOf(pid)
    // Parents count what ended processes used.
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

/** A descendant of a process whose command line has a text. */
export async function descendantWith(root: number, text: string): Promise<number> {
  for (const pid of await familyOf(root))
    if ((await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes(text)) return pid
  throw new Error(`no process has ${text} in its command line`)
}

/** Megabytes that a process alone uses and shares with nobody. */
export async function ownMemoryOf(pid: number): Promise<number> {
  const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8')
  return Number(/^Anonymous:\s+(\d+)/m.exec(rollup)?.[1] ?? 0) / 1024
}
