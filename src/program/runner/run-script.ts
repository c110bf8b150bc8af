import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** Milliseconds between the polite end of a process and the other one. */
const GRACE = 5_000

export interface ScriptOptions {
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  /** Takes what is written; the process waits for it. */
  readonly write: (bytes: Buffer) => Promise<void>
  /** Ends the process and all that it has started. */
  readonly signal: AbortSignal
}

/**
 * Runs a program in a group of its own, and ends whatever it leaves behind.
 * @returns its exit code; 128 and more for a signal
 * @throws the reason of the signal
 */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env, write, signal }: ScriptOptions,
): Promise<number> {
  signal.throwIfAborted()
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const stop = () => endGroup(child)
  signal.addEventListener('abort', stop, { once: true })
  const pump = async (stream: AsyncIterable<Buffer>) => {
    for await (const piece of stream) await write(piece)
  }
  const shown = Promise.all([pump(child.stdout), pump(child.stderr)])
  try {
    const [code]: unknown[] = await ended
    // What it has started may hold its output open for ever.
    killGroup(child, 'SIGKILL')
    await shown
    signal.throwIfAborted()
    return typeof code === 'number' ? code : 128
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function endGroup(child: ChildProcess): void {
  killGroup(child, 'SIGTERM')
  const timer = setTimeout(() => killGroup(child, 'SIGKILL'), GRACE)
  child.once('exit', () => clearTimeout(timer))
}

function killGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // All of it has ended.
  }
}
