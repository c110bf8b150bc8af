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

/** Requests a second at 10 connections, for that many seconds. Fails when an answer is none of success. */
export async function throughput(
  url: string,
  headers: Record<string, string>,
  seconds: number,
): Promise<number> {
  const result = await autocannon({ url, headers, connections: 10, duration: seconds })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${url}: ${result.non2xx} refusals, ${result.errors} errors`)
  return result.requests.average
}

/** Megabytes that a process and all its descendants use, shared pages in proportion (PSS). */
export async function memoryOf(root: number): Promise<number> {
  const parents = new Map<number, number>()
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '')
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    parents.set(Number(name), parent)
  }
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(parents.get(pid) ?? 0))
  let kilobytes = 0
  for (const pid of parents.keys()) {
    if (!isBelow(pid)) continue
    const rollup = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
    kilobytes += Number(/^Pss:\s+(\d+)/m.exec(rollup)?.[1] ?? 0)
  }
  return kilobytes / 1024
}
