import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { messageOf } from './errors.ts'
import type { ServerLog } from './server-log.ts'

/** Long enough for a Forgelet that received the same signal to stop in order. */
const SMART_SHUTDOWN_GRACE = 1000

export interface Launch {
  file: string
  args: string[]
  options: { uid?: number; gid?: number }
  env: Record<string, string>
  log: ServerLog
  /** Receives false when a backend crashed and the server restarts itself, and true when it accepts connections. */
  onAccepting: (accepting: boolean) => void
}

/** One run of the server, from spawn to the end of its postmaster. */
export interface Server {
  readonly pid: number | undefined
  /** True once the server accepts connections; false when it ended before. */
  readonly ready: Promise<boolean>
  /** Resolves when the postmaster has ended, and says how. */
  readonly exited: Promise<string>
  signal(signal: 'SIGINT' | 'SIGQUIT' | 'SIGKILL'): void
}

/** Starts the server and follows its state through its log. */
export function launchServer({ file, args, options, env, log, onAccepting }: Launch): Server {
  log.begin()
  const child = spawn(file, args, {
    ...options,
    cwd: '/',
    env,
    detached: true, // Ctrl-C in the terminal is for us; we then stop the server in order
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ready = Promise.withResolvers<boolean>()
  const exited = Promise.withResolvers<string>()
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log.write(text, (line) => {
      if (line.includes('LOG:  database system is ready to accept connections')) {
        ready.resolve(true)
        onAccepting(true)
      } else if (line.includes('LOG:  received smart shutdown request')) {
        // This signal is not ours. The server refuses new clients and waits for ours, which never leave. End it; it
        // is then restarted.
        setTimeout(() => child.kill('SIGINT'), SMART_SHUTDOWN_GRACE).unref()
      } else if (line.includes('LOG:  terminating any other active server processes')) {
        onAccepting(false)
      }
    })
  })
  child.once('error', (error) => {
    if (child.pid !== undefined) return // a signal that could not be sent
    ready.resolve(false)
    exited.resolve(messageOf(error))
  })
  child.once('exit', (code, signal) => {
    ready.resolve(false)
    exited.resolve(signal === null ? `exit code ${code ?? 'unknown'}` : signal)
  })
  return {
    pid: child.pid,
    ready: ready.promise,
    exited: exited.promise,
    signal: (signal) => void child.kill(signal),
  }
}

/** Whether the event happens within the given time. */
export async function within(milliseconds: number, event: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  try {
    return await Promise.race([event.then(() => true), delay(milliseconds, false, { signal: timer.signal })])
  } finally {
    timer.abort()
  }
}
