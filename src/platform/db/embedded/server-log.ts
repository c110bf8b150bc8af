import { closeSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs'
import type { Log } from './types.ts'

const LIMIT = 5 * 1024 * 1024

/** Messages that clients get while the server starts or stops; normal, and many at a time. */
const ROUTINE =
  /the database system is (starting up|shutting down|not yet accepting|in recovery)|terminating connection due to administrator command/

/**
 * Receives the server's standard error. Keeps it in a file (and the file before it, 5 MB each), passes FATAL and
 * PANIC on to our own log, and remembers the last lines for error messages.
 */
export class ServerLog {
  readonly path: string
  readonly #log: Log
  #fd: number | undefined
  #size = 0
  #rest = ''
  #recent: string[] = []

  constructor(path: string, log: Log) {
    this.path = path
    this.#log = log
    this.#open()
  }

  /** Takes a piece of output and passes each complete line on. */
  write(text: string, onLine: (line: string) => void): void {
    this.#append(text)
    const lines = (this.#rest + text).split('\n')
    this.#rest = (lines.pop() ?? '').slice(-10_000)
    for (const line of lines) {
      this.#recent = [...this.#recent.slice(-7), line]
      const fatal = / (FATAL|PANIC): +(.*)$/.exec(line)
      if (fatal !== null && !ROUTINE.test(line)) {
        this.#log.warn({ severity: fatal[1] }, `PostgreSQL: ${fatal[2] ?? ''}`)
      }
      onLine(line)
    }
  }

  /** The last lines, for the message of an error. */
  recent(): string {
    return this.#recent.join('\n')
  }

  /** Forgets the lines of an earlier server. */
  begin(): void {
    this.#recent = []
    this.#rest = ''
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd)
    this.#fd = undefined
  }

  #open(): void {
    this.#fd = openSync(this.path, 'a', 0o600)
    this.#size = fstatSync(this.#fd).size
    if (this.#size > LIMIT) this.#rotate()
  }

  #rotate(): void {
    this.close()
    renameSync(this.path, `${this.path}.1`)
    this.#open()
  }

  // A full disk must not end the process that could report it.
  #append(text: string): void {
    if (this.#fd === undefined) return
    try {
      this.#size += writeSync(this.#fd, text)
      if (this.#size > LIMIT) this.#rotate()
    } catch (err) {
      this.close()
      this.#log.warn({ err, path: this.path }, 'the log of the embedded PostgreSQL cannot be written')
    }
  }
}
