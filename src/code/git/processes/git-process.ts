import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { Readable, Writable } from 'node:stream'
import { GitFailed, GitTimeout, meaningOfFailure } from '../errors.ts'
import { gitEnvironment } from './environment.ts'
import type { Location } from './location.ts'

export interface GitCommand {
  /** The repository; undefined for a command that needs none. */
  readonly at: Location | undefined
  readonly args: readonly string[]
  /** Environment variables beyond those of every git process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Configuration beyond that of every git process. Unlike arguments, nobody else on the machine sees it. */
  readonly configuration?: Readonly<Record<string, string>>
  /** Milliseconds until the process is ended; unlimited for transfers, which have a pace instead. */
  readonly time?: number
  /** Bytes of memory that it may use, besides the files that it reads; unlimited by default. */
  readonly memory?: number
  /** Ends the process with its children: the client left, or the server stops. */
  readonly signal?: AbortSignal
  /** A connection that gets its standard output, instead of this process. */
  readonly output?: Socket
  /** Exit codes that are no failure, besides 0. */
  readonly accept?: readonly number[]
}

/** The program with its arguments. Only a shell can limit the memory of what takes its place. */
function programOf({ args, memory }: GitCommand): [program: string, ...args: string[]] {
  if (memory === undefined) return ['git', ...args]
  const kilobytes = String(Math.ceil(memory / 1024))
  return ['/bin/sh', '-c', 'ulimit -d "$0" && exec git "$@"', kilobytes, ...args]
}

/** How much of standard error is kept, in characters. */
const KEPT = 8_192

/** One git process in a process group of its own, so that it is ended together with its children. */
export class GitProcess {
  readonly stdin: Writable
  readonly stdout: Readable
  /**
   * Resolves with the exit code once the process has ended.
   * @throws what a failure means: see {@link meaningOfFailure}.
   */
  readonly ended: Promise<number>
  readonly #child: ChildProcess
  readonly #command: GitCommand
  #stderr = ''
  #killedBy: unknown

  constructor(command: GitCommand) {
    const { at, environment, configuration, signal, time, output = 'pipe' } = command
    this.#command = command
    const [program, ...args] = programOf(command)
    this.#child = spawn(program, args, {
      env: gitEnvironment(at, environment, configuration),
      cwd: at?.folder ?? '/',
      stdio: ['pipe', output, 'pipe'],
      detached: true,
    })
    this.stdin = this.#child.stdin ?? nowhere()
    this.stdout = this.#child.stdout ?? Readable.from([])
    // A process that ends before it has read everything breaks the pipe. Its exit code says why.
    this.stdin.on('error', () => {})
    this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr = (this.#stderr + text).slice(-KEPT)
    })
    const onAbort = () => this.kill(signal?.reason)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
    const timer =
      time === undefined ? undefined : setTimeout(() => this.kill(new GitTimeout(this.#name)), time)
    this.ended = this.#end().finally(() => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    })
    // Whoever started the process may not have come to wait for its end when that fails.
    this.ended.catch(() => {})
  }

  /**
   * What it writes to standard output, piece by piece. Whoever stops reading ends the process.
   * @throws what its failure means, after the last piece.
   */
  async *output(): AsyncGenerator<Buffer> {
    try {
      const pieces: AsyncIterator<Buffer> = this.stdout[Symbol.asyncIterator]()
      // The output of a process that was ended breaks off, and the process says why.
      const next = () => pieces.next().catch(() => ({ done: true, value: undefined }) as const)
      for (let piece = await next(); piece.done !== true; piece = await next()) yield piece.value
      await this.ended
    } finally {
      this.kill()
    }
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#child.pid
  }

  /** The end of what it has written to standard error so far. */
  get stderr(): string {
    return this.#stderr
  }

  /** Ends the process and its children at once. @param reason what {@link ended} throws. */
  kill(reason: unknown = new Error('ended by the server')): void {
    this.#killedBy ??= reason
    const { pid } = this.#child
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return
    try {
      process.kill(-pid, 'SIGKILL')
    } catch {
      // It has ended in this moment.
    }
    // Nobody need read the rest, and the process counts as ended once its streams are closed.
    this.stdin.destroy()
    this.stdout.destroy()
  }

  get #name(): string {
    return this.#command.args.find((arg) => !arg.startsWith('-') && !arg.includes('=')) ?? ''
  }

  async #end(): Promise<number> {
    const code = await this.#exit()
    if (this.#killedBy !== undefined) throw this.#killedBy
    if (code === 0 || (code !== null && this.#command.accept?.includes(code))) return code
    throw meaningOfFailure(this.failure(code))
  }

  async #exit(): Promise<number | null> {
    try {
      // `close` comes after everything was read, `exit` may come before.
      const [code]: unknown[] = await once(this.#child, 'close')
      return typeof code === 'number' ? code : null
    } catch (error) {
      this.#stderr += String(error)
      throw meaningOfFailure(this.failure(null))
    }
  }

  /** Describes how the process failed. */
  failure(exitCode: number | null): GitFailed {
    const { at } = this.#command
    return new GitFailed({
      repository: at?.folder ?? '',
      command: this.#name,
      exitCode,
      stderr: this.#stderr,
    })
  }
}

/** For a process without a standard input. */
const nowhere = (): Writable => new Writable({ write: (_piece, _encoding, done) => done() })
