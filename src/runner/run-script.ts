import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { killGroup } from '#platform/processes/kill-group.ts'

/** Milliseconds that a script has to end by itself before it is killed. */
const GRACE = 2_000
/** Milliseconds for which what a script wrote last may be under way. */
const DRAIN = 2_000

export interface Script {
  /** A file for bash. */
  readonly file: string
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  /** Ends the script. */
  readonly signal: AbortSignal
  /** Gets what it writes, and holds it up while it is busy. */
  readonly write: (piece: Buffer) => Promise<void>
}

/**
 * Runs a script in a process group of its own, of which nothing is left afterwards.
 * @returns its exit code; 128 and the number of the signal for one that a signal ended
 * @throws the reason of `signal`, once it has ended; what `spawn` says where it cannot start
 */
export async function runScript({ file, folder, environment, signal, write }: Script): Promise<number> {
  signal.throwIfAborted()
  const child = spawn('bash', ['--noprofile', '--norc', file], {
    cwd: folder,
    env: { ...environment },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const exited = once(child, 'exit')
  const { pid } = child
  if (pid === undefined) {
    await exited
    throw new Error('bash did not start')
  }
  const reading = copy(child.stdout, write)
  const stop = () => {
    killGroup(pid, 'SIGTERM')
    setTimeout(() => killGroup(pid), GRACE).unref()
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const [code, by]: unknown[] = await exited
    // What it started in the background ends with it, and holds the stream no longer.
    killGroup(pid)
    await Promise.race([reading, wait(DRAIN, undefined, { ref: false })])
    signal.throwIfAborted()
    return typeof code === 'number' ? code : 128 + numberOf(by)
  } finally {
    signal.removeEventListener('abort', stop)
    killGroup(pid)
    child.stdout.destroy()
  }
}

/** The number of a signal by its name. */
const numberOf = (signal: unknown): number =>
  Object.entries(constants.signals).find(([name]) => name === signal)?.[1] ?? 0

async function copy(from: AsyncIterable<unknown>, write: Script['write']): Promise<void> {
  try {
    for await (const piece of from) if (Buffer.isBuffer(piece)) await write(piece)
  } catch {
    // The stream was closed: the script has ended.
  }
}
