import { type ChildProcess, fork } from 'node:child_process'
import { extname, join } from 'node:path'
import { Busy } from '#platform/refusals.ts'
import { onBehalfOfNobody } from '#platform/shares/caller.ts'
import { type ShareLimits, Shares } from '#platform/shares/shares.ts'
import type { Order } from './messages.ts'
import { type Answering, Reading, type ReadingLimits, type Outcome } from './reading.ts'

export interface ReaderLimits extends ReadingLimits {
  readonly shares: ShareLimits
  /** Megabytes of what a process may keep in memory. */
  readonly megabytes: number
}

export const usualLimits: ReaderLimits = {
  // A project may take one process, so another one is left for the others.
  shares: { atOnce: 2, each: 1, waiting: 50, waitingInAll: 1_000, patience: 60_000 },
  work: 10_000,
  time: 30_000,
  megabytes: 256,
}

/** Milliseconds of work after which a process is replaced. */
const LIFE = 100_000

/** Seconds of its processors after which the system ends a process: one that works on when this program was killed. */
const MOST_SECONDS = 600

class TooManyReadings extends Busy {
  constructor(isOwn: boolean) {
    const whose = isOwn ? ' of this project' : ''
    super(`too many configurations${whose} are read at once; try again in some seconds`, 5)
  }
}

interface Reader {
  readonly child: ChildProcess
  /** Milliseconds that it has worked. */
  worked: number
}

/**
 * Processes that read configurations of pipelines, off the server's own: a configuration may take seconds, patterns in
 * it for ever, and its YAML more memory than there is. They start when they are first needed, and stay.
 */
export class Readers {
  readonly #limits: ReaderLimits
  readonly #shares: Shares
  readonly #idle: Reader[] = []
  readonly #all = new Set<Reader>()
  #isClosed = false

  constructor(limits = usualLimits) {
    this.#limits = limits
    this.#shares = new Shares(limits.shares)
  }

  /**
   * Reads a configuration as soon as a process is free.
   * @param caller who shares the processes with others
   * @throws 503 when too many wait; what `answer` throws
   */
  async read(caller: string, order: Order, answer: Answering): Promise<Outcome> {
    const leave = await this.#turn(caller)
    try {
      if (this.#isClosed) throw new Busy('the server is about to stop')
      return await this.#readIn(this.#idle.pop() ?? this.#start(), order, answer)
    } finally {
      leave()
    }
  }

  /** How many configurations are being read, and wait for it. */
  get usage(): { readonly running: number; readonly waiting: number } {
    const { running, waiting } = this.#shares
    return { running, waiting }
  }

  /** Ends all processes. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all([...this.#all].map((reader) => this.#end(reader)))
  }

  async #readIn(reader: Reader, order: Order, answer: Answering): Promise<Outcome> {
    const reading = new Reading(reader.child, answer, this.#limits)
    let isFree = false
    try {
      const outcome = await reading.read(order)
      isFree = 'text' in outcome
      if (reading.failure !== undefined) throw reading.failure.error
      return outcome
    } finally {
      reader.worked += reading.worked
      if (isFree && this.#all.has(reader) && reader.worked < LIFE) this.#idle.push(reader)
      else await this.#end(reader)
    }
  }

  async #turn(caller: string): Promise<() => void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const place = this.#shares.ask(
      caller,
      () => resolve(),
      (shortage) => reject(new TooManyReadings(shortage === 'of the caller')),
    )
    await promise
    return () => this.#shares.leave(place)
  }

  #start(): Reader {
    const reader = { child: onBehalfOfNobody(() => launch(this.#limits.megabytes)), worked: 0 }
    const { child } = reader
    this.#all.add(reader)
    const forget = (): void => {
      this.#all.delete(reader)
      const at = this.#idle.indexOf(reader)
      if (at >= 0) this.#idle.splice(at, 1)
    }
    // A reading listens as well; nobody else needs to know.
    child.on('error', forget)
    child.once('exit', forget)
    child.unref()
    child.channel?.unref()
    return reader
  }

  async #end(reader: Reader): Promise<void> {
    const { child } = reader
    this.#all.delete(reader)
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.ref()
    child.kill('SIGKILL')
    await gone
  }
}

/** A shell sets what the process may take, and then replaces itself with it. */
function launch(megabytes: number): ChildProcess {
  const script = join(import.meta.dirname, `reader-process${extname(import.meta.filename)}`)
  const limits = `ulimit -c 0; ulimit -S -t ${MOST_SECONDS} && exec "$0" "$@"`
  return fork(script, [], {
    cwd: '/',
    env: {},
    execPath: '/bin/sh',
    execArgv: ['-c', limits, process.execPath, `--max-old-space-size=${megabytes}`],
    // Texts and maps go as they are.
    serialization: 'advanced',
    // A session of its own: what a terminal sends to this program does not reach it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}
