import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'

// What a process and everything that it started cost, as Linux counts it.

interface Process {
  readonly parent: number
  /** Seconds of its own, and of those that it started and that have ended. */
  readonly own: number
  readonly children: number
}

/** Ticks of the kernel in a second, on every Linux of today. */
const TICKS = 100

async function processes(): Promise<ReadonlyMap<number, Process>> {
  const found = new Map<number, Process>()
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const text = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => '')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    if (fields.length < 15) continue
    const seconds = (from: number) => (Number(fields[from]) + Number(fields[from + 1])) / TICKS
    found.set(Number(pid), { parent: Number(fields[1]), own: seconds(11), children: seconds(13) })
  }
  return found
}

/** Bytes that belong to a process alone, so without the files that it reads. */
async function memoryOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'latin1').catch(() => '')
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024
}

function below(all: ReadonlyMap<number, Process>, root: number): number[] {
  const children = [...all].filter(([, { parent }]) => parent === root).map(([pid]) => pid)
  return children.flatMap((pid) => [pid, ...below(all, pid)])
}

/** Seconds of CPU: of the process itself, and of all below it. */
export interface Spent {
  readonly own: number
  readonly below: number
}

export async function spentBy(root: number): Promise<Spent> {
  const all = await processes()
  const sum = below(all, root).reduce((seconds, pid) => {
    const one = all.get(pid)
    return seconds + (one?.own ?? 0) + (one?.children ?? 0)
  }, 0)
  return { own: all.get(root)?.own ?? 0, below: sum }
}

/** Looks at the memory of a process and all below it until it is told to stop. @returns the most bytes that it saw */
export async function peakOf(root: number, stop: AbortSignal): Promise<number> {
  let most = 0
  while (!stop.aborted) {
    const all = [root, ...below(await processes(), root)]
    const sizes = await Promise.all(all.map(memoryOf))
    most = Math.max(
      most,
      sizes.reduce((sum, size) => sum + size, 0),
    )
    await pause(30)
  }
  return most
}
