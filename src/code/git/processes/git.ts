import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { assertOutsideTransaction } from '#platform/db/open-transaction.ts'
import { type Destination, ProcessStarter } from '#platform/processes/starter.ts'
import { currentBudget, currentCaller } from '#platform/shares/caller.ts'
import { errorClassOf, type Span, type Tracer } from '#platform/telemetry/tracer.ts'
import { GitTimeout, OutputTooLarge, ReadsTooMuch } from '../errors.ts'
import { KeptAnswers } from '../kept-answers.ts'
import { GitProcess, type GitCommand } from './git-process.ts'
import { type Lane, lanes, memories, READING_MEMORY, TIME, times, USUAL_MEMORY } from './lanes.ts'
import type { Location } from './location.ts'
import { ObjectReaders } from './object-readers.ts'
import { Slots } from './slots.ts'

export interface StartOptions extends Omit<GitCommand, 'at' | 'args' | 'output' | 'memory'> {
  readonly lane?: Lane
  /** By default what processes of the lane may use. */
  readonly memory?: number
  /** Gives the connection for its output as soon as there is room for the process. */
  readonly outputTo?: () => Promise<Destination>
}

export interface CaptureOptions extends StartOptions {
  readonly input?: string | Buffer | Readable | AsyncIterable<Buffer | string>
  /** What it may write at most; by default 64 MiB. */
  readonly maxBytes?: number
}

const MAX_OUTPUT = 64 * 1024 * 1024

export type OnProcess = (command: string, lane: Lane, milliseconds: number) => void

/** Milliseconds after which a process is long. */
const LONG = 1_000

/** Is told about a process that takes long, by its repository. @returns what is called when it has ended */
export type OnLong = (folder: string) => () => void

/** Starts git processes, within bounds. Everything that git does for the program goes through one of these. */
export class Git {
  readonly readers: ObjectReaders
  readonly kept = new KeptAnswers()
  readonly #slots: Readonly<Record<Lane, Slots>>
  readonly #starter = new ProcessStarter({ memory: USUAL_MEMORY })
  readonly #running = new Set<GitProcess>()
  readonly #closing = new AbortController()
  /** Records processes, where somebody wants traces. */
  tracer: Tracer | undefined
  /** Is told about each process that has ended, for metrics. */
  onProcess: OnProcess = () => {}
  /** Is told about each process that takes long, so that nobody removes the folder under it. */
  onLong: OnLong = () => () => {}
  /** How many processes work in each folder now. */
  readonly #users = new Map<string, number>()

  constructor() {
    this.#slots = {
      read: new Slots(lanes.read),
      transfer: new Slots(lanes.transfer),
      write: new Slots(lanes.write),
      keep: new Slots(lanes.keep),
    }
    this.readers = new ObjectReaders((at, args) => this.#spawn({ at, args, memory: READING_MEMORY }))
  }

  /** How many processes of each kind run and wait now. */
  usage(): readonly { readonly lane: Lane; readonly running: number; readonly waiting: number }[] {
    return (['read', 'transfer', 'write', 'keep'] as const).map((lane) => ({
      lane,
      running: this.#slots[lane].taken,
      waiting: this.#slots[lane].waiting,
    }))
  }

  /**
   * Starts a process as soon as there is room for one. The caller reads its output and waits for its end. A process of a
   * request has the rest of the request's time; one that takes long by nature has a time of its own.
   * @throws 503 when too many run and wait, or the request has had its time.
   */
  async start(
    at: Location | undefined,
    args: readonly string[],
    options: StartOptions = {},
  ): Promise<GitProcess> {
    assertOutsideTransaction('A git process')
    const { lane = 'read', outputTo, ...command } = options
    const longest = command.time ?? times[lane]
    const budget = longest <= TIME ? currentBudget() : undefined
    if (budget !== undefined && budget.left <= 0) throw new GitTimeout(args[0] ?? '')
    const until = anyOf(this.#closing.signal, command.signal)
    const giveBack = await this.#slots[lane].take(currentCaller(), until)
    // Whoever waits for a slot does no work.
    const rest = budget?.work()
    const free = () => {
      giveBack()
      rest?.()
    }
    try {
      const output = await outputTo?.()
      const began = performance.now()
      const time = Math.min(longest, Math.max(0, budget?.left ?? longest))
      const [name = ''] = args
      const span = this.tracer?.begin({
        name: `git ${name}`,
        kind: 'internal',
        attributes: { 'forgelet.git.command': name, 'forgelet.git.lane': lane },
      })
      const spawning = this.#spawn({
        at,
        args,
        memory: memories[lane],
        ...command,
        time,
        ...(output && { output }),
      })
      if (span !== undefined) void recordProcess(span, spawning)
      const process = await spawning
      const leave = this.#use(at?.folder)
      const over = () => {
        free()
        leave()
        this.onProcess(name, lane, performance.now() - began)
      }
      process.ended.then(over, over)
      return process
    } catch (error) {
      free()
      throw error
    }
  }

  /** Whether a process of this program works in a folder now; long-lived readers do not count. */
  isUsing(folder: string): boolean {
    return this.#users.has(folder)
  }

  /** Runs a process to its end. @returns what it wrote to standard output, and its exit code. */
  async capture(
    at: Location | undefined,
    args: readonly string[],
    { input, maxBytes = MAX_OUTPUT, ...options }: CaptureOptions = {},
  ): Promise<{ readonly output: Buffer; readonly code: number }> {
    const process = await this.start(at, args, options)
    // An input that fails ends the process; a process that ends needs no more of it.
    void feed(process, input)
    const pieces: Buffer[] = []
    let size = 0
    const budget = currentBudget()
    try {
      for await (const piece of process.stdout) {
        const bytes: Buffer = piece
        size += bytes.length
        if (size > maxBytes)
          throw new OutputTooLarge(`git ${args[0] ?? ''} wrote more than ${maxBytes} bytes`)
        if (budget?.take(bytes.length) === false) throw new ReadsTooMuch()
        pieces.push(bytes)
      }
    } catch (error) {
      if (error instanceof OutputTooLarge) process.kill(error)
      // Otherwise the process was ended, and says why.
    }
    const code = await process.ended
    return { output: Buffer.concat(pieces), code }
  }

  /** The same for output that is text. */
  async text(
    at: Location | undefined,
    args: readonly string[],
    options: CaptureOptions = {},
  ): Promise<string> {
    return (await this.capture(at, args, options)).output.toString('utf8')
  }

  /** Ends all processes. Nothing starts afterwards. */
  async close(): Promise<void> {
    this.#closing.abort(STOPPED)
    this.readers.close()
    const all = [...this.#running]
    for (const process of all) process.kill(STOPPED)
    await Promise.allSettled(all.map(({ ended }) => ended))
    await this.#starter.close()
  }

  #use(folder: string | undefined): () => void {
    if (folder === undefined) return () => {}
    this.#users.set(folder, (this.#users.get(folder) ?? 0) + 1)
    let release = () => {}
    const timer = setTimeout(() => (release = this.onLong(folder)), LONG).unref()
    return () => {
      clearTimeout(timer)
      release()
      const left = (this.#users.get(folder) ?? 1) - 1
      if (left > 0) this.#users.set(folder, left)
      else this.#users.delete(folder)
    }
  }

  async #spawn(command: GitCommand): Promise<GitProcess> {
    this.#closing.signal.throwIfAborted()
    const process = await GitProcess.start(this.#starter, command).catch((error: unknown) => {
      this.#closing.signal.throwIfAborted()
      throw error
    })
    if (this.#closing.signal.aborted) process.kill(STOPPED)
    this.#running.add(process)
    const over = () => void this.#running.delete(process)
    process.ended.then(over, over)
    return process
  }
}

async function recordProcess(span: Span, spawning: Promise<GitProcess>): Promise<void> {
  try {
    const { ended } = await spawning
    span.set({ 'process.exit.code': await ended })
    span.end()
  } catch (error) {
    span.end(errorClassOf(error))
  }
}

const STOPPED = new Error('the server stops')

async function feed(process: GitProcess, input: CaptureOptions['input']): Promise<void> {
  if (input === undefined || typeof input === 'string' || Buffer.isBuffer(input)) {
    process.stdin.end(input)
    return
  }
  try {
    await pipeline(input, process.stdin)
  } catch (error) {
    // A process that ends early tells why by its exit code; an input that fails ends the process.
    if (!isClosedPipe(error)) process.kill(error)
  }
}

/** Whether a process reads no more of its input. */
export function isClosedPipe(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE' || code === 'ERR_STREAM_DESTROYED'
}

function anyOf(first: AbortSignal, second: AbortSignal | undefined): AbortSignal {
  return second === undefined ? first : AbortSignal.any([first, second])
}
