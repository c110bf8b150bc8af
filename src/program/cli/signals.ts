import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

/**
 * Two signals within this time count as one: npm forwards Ctrl-C to a program that the terminal has already
 * signalled.
 */
const ONE_SIGNAL = 250

/**
 * Turns the first SIGTERM or SIGINT into an aborted signal. The second ends the process at once; the watchdog of the
 * embedded PostgreSQL then stops the database.
 */
export function stopSignals(): AbortSignal {
  const stop = new AbortController()
  let first = 0
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (!stop.signal.aborted) {
        first = performance.now()
        stop.abort(new Stopped(name))
      } else if (performance.now() - first > ONE_SIGNAL) {
        process.exit(128 + constants.signals[name])
      }
    })
  }
  return stop.signal
}

/** The reason of an aborted start: somebody requested it. */
export class Stopped extends Error {
  override readonly name = 'Stopped'
  constructor(what: string) {
    super(`stopped by ${what}`)
  }
}

/** Milliseconds between two looks at the parent. The operating system tells nobody when it ends. */
const LOOK = 200

/** What npm says of its commands that stand for the server: who ends npm wants to end the server. */
const BY_NPM = ['start', 'dev', 'npx']

/** Whether the server is what `npm start` or `npx` was asked for, and not something that a script leaves behind. */
export const standsForNpm = (environment: Readonly<NodeJS.Dict<string>>): boolean =>
  BY_NPM.includes(environment['npm_lifecycle_event'] ?? '')

/**
 * Aborts when the process that started this one ends. npm starts programs by a shell. A signal to npm ends that shell,
 * which passes none on; and the shell outlives an npm that was killed: so it must not lose its parent, either. Some shells
 * become the program, and then npm is the parent: whoever started npm may leave.
 */
export function endOfParent(environment: Readonly<NodeJS.Dict<string>>): AbortSignal {
  const over = new AbortController()
  const byShell = environment['npm_lifecycle_event'] !== undefined && isShell(process.ppid)
  const parents = (): string => `${process.ppid} ${byShell ? parentOf(process.ppid) : ''}`
  const before = parents()
  const timer = setInterval(() => {
    if (parents() === before) return
    clearInterval(timer)
    over.abort(new Stopped('the end of its parent'))
  }, LOOK).unref()
  return over.signal
}

const SHELLS: ReadonlySet<string> = new Set(['sh', 'dash', 'bash', 'ash', 'busybox', 'zsh', 'ksh'])

function isShell(pid: number): boolean {
  try {
    return SHELLS.has(readFileSync(`/proc/${pid}/comm`, 'utf8').trim())
  } catch {
    return false
  }
}

/** Where the operating system tells it by a file, as Linux does. */
function parentOf(pid: number): string {
  try {
    return /^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? ''
  } catch {
    return ''
  }
}

/** Aborts when there is no more to read. */
export function endOfInput(input: AsyncIterable<unknown>): AbortSignal {
  const over = new AbortController()
  const wait = async (): Promise<void> => {
    // oxlint-disable-next-line no-unused-vars -- whatever it is, it is not the end
    for await (const _ of input);
  }
  const end = () => over.abort(new Stopped('the end of its input'))
  wait().then(end, end)
  return over.signal
}
