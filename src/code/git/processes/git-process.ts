import type { Readable, Writable } from 'node:stream'
import {
  type Destination,
  type ProcessStarter,
  type StartedProcess,
  StarterEnded,
} from '#platform/processes/starter.ts'
import { GitFailed, GitInterrupted, GitTimeout, meaningOfFailure } from '../errors.ts'
import { gitEnvironment } from './environment.ts'
import { USUAL_MEMORY } from './lanes.ts'
import type { Location } from './location.ts'

export interface GitCommand {
  /** The repository; undefined for a command that needs none. */
  readonly at: Location | undefined
  readonly args: readonly string[]
  /** Environment variables beyond those of every git process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Configuration beyond that of every git process. Unlike arguments, nobody else on the machine sees it. */
  readonly configuration?: Readonly<Record<string, string>>
  /** Milliseconds until the process is ended; unlimited by default. */
  readonly time?: number
  /** Bytes of memory that it may use, and each process that it starts, besides the files that they map. */
  readonly memory: number
  /** Ends the process with its children: the client left, or the server stops. */
  readonly signal?: AbortSignal
  /** A connection that gets its standard output, instead of this process. */
  readonly output?: Destination
  /** Whether {@link GitProcess.output} reuses one buffer, for outputs of gigabytes. */
  readonly oneBuffer?: boolean
  /** Exit codes that are no failure, besides 0. */
  readonly accept?: readonly number[]
  /** Whether the process runs with the lowest priority. */
  readonly background?: boolean
}

/** The program with its arguments. A shell sets another limit of memory than the usual one, and then replaces itself with git. */
function programOf({ args, memory, background }: GitCommand): [program: string, ...args: string[]] {
  if (memory === USUAL_MEMORY && background !== true) return ['git', ...args]
  const kilobytes = String(Math.ceil(memory / 1024))
  const nice = background === true ? ['nice', '-n', '19'] : []
  return ['/bin/sh', '-c', 'ulimit -d "$0" && exec "$@"', kilobytes, ...nice, 'git', ...args]
}

/** One git process in a process group of its own, so that it is ended together with its children. */
export class GitProcess {
  /**
   * Resolves with the exit code once the process has ended.
   * @throws the refusal that a failure means: see {@link meaningOfFailure}.
   */
  readonly ended: Promise<number>
  readonly #process: StartedProcess
  readonly #command: GitCommand
  #hasEnded = false
  #killedBy: unknown

  private constructor(process: StartedProcess, command: GitCommand) {
    const { signal, time } = command
    this.#process = process
    this.#command = command
    const onAbort = () => this.kill(signal?.reason)
    if (signal?.aborted) onAbort()
    else signal?.addEventListener('abort', onAbort, { once: true })
    const timer =
      time === undefined
        ? undefined
        : setTimeout(() => this.kill(new GitTimeout(subcommandOf(command))), time)
    this.ended = this.#end().finally(() => {
      this.#hasEnded = true
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    })
    // The process may fail before its starter waits for the end.
    this.ended.catch(() => {})
  }

  /** @throws the refusal when the process cannot be started: see {@link meaningOfFailure}. */
  static async start(starter: ProcessStarter, command: GitCommand): Promise<GitProcess> {
    const { at, environment, configuration, output: to, oneBuffer } = command
    const [program, ...args] = programOf(command)
    const env = gitEnvironment(at, environment, configuration)
    try {
      const order = { program, args, cwd: at?.folder ?? '/', env }
      const started = await starter.start(order, { to, oneBuffer })
      return new GitProcess(started, command)
    } catch (error) {
      if (error instanceof StarterEnded) throw new GitInterrupted(error)
      throw meaningOfFailure(failureOf(command, null, String(error)))
    }
  }

  get stdin(): Writable {
    return this.#process.stdin
  }

  get stdout(): Readable {
    return this.#process.stdout
  }

  get pid(): number {
    return this.#process.pid
  }

  /**
   * Its standard output, piece by piece. A reader that stops early ends the process.
   * @throws the refusal that its failure means, after the last piece.
   */
  async *output(): AsyncGenerator<Buffer> {
    try {
      const pieces: AsyncIterator<Buffer> = this.#process.pieces[Symbol.asyncIterator]()
      // The output of a process that was ended breaks off, and the process says why.
      const next = () => pieces.next().catch(() => ({ done: true, value: undefined }) as const)
      for (let piece = await next(); piece.done !== true; piece = await next()) yield piece.value
      await this.ended
    } finally {
      this.kill()
    }
  }

  /** Ends the process and its children at once. @param reason what {@link ended} throws. */
  kill(reason: unknown = new Error('ended by the server')): void {
    if (this.#hasEnded) return
    this.#killedBy ??= reason
    this.#process.kill()
    // Nobody need read the rest, and the process counts as ended once its streams are closed.
    this.stdin.destroy()
    this.stdout.destroy()
  }

  async #end(): Promise<number> {
    const { code, stderr } = await this.#process.ended.catch((error: unknown) => {
      throw this.#killedBy ?? new GitInterrupted(error)
    })
    if (this.#killedBy !== undefined) throw this.#killedBy
    if (code === 0 || (code !== null && this.#command.accept?.includes(code))) return code
    throw meaningOfFailure(failureOf(this.#command, code, stderr))
  }
}

/** The git command, for metrics and messages. */
const subcommandOf = ({ args }: GitCommand): string =>
  args.find((arg) => !arg.startsWith('-') && !arg.includes('=')) ?? ''

const failureOf = (command: GitCommand, exitCode: number | null, stderr: string): GitFailed =>
  new GitFailed({
    repository: command.at?.folder ?? '',
    command: subcommandOf(command),
    exitCode,
    stderr,
  })
