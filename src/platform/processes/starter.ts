import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { getCompileCacheDir } from 'node:module'
import { connect, type Socket } from 'node:net'
import { extname, join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { endOf } from './end-of.ts'
import { killGroup } from './kill-group.ts'
import { limited } from './memory-limit.ts'
import {
  type Exit,
  headerOf,
  isReport,
  type Order,
  type OwnOutput,
  type Program,
  type Report,
} from './messages.ts'
import { OneBuffer } from './one-buffer.ts'
import { shortFolder } from './short-folder.ts'

/**
 * A process that a {@link ProcessStarter} has started. It leads a process group. Its streams are connections of its own:
 * the starter touches none of their bytes.
 */
export interface StartedProcess {
  readonly pid: number
  readonly stdin: Writable
  /** Empty when the output goes elsewhere. Otherwise whoever has started the process reads it, or destroys it. */
  readonly stdout: Readable
  /** The same in pieces. With one buffer, each is good until the next is asked for. */
  readonly pieces: AsyncIterable<Buffer>
  /**
   * Resolves once the process has ended, and its output was read to the end or destroyed.
   * @throws {StarterEnded}
   */
  readonly ended: Promise<Exit>
  /** Ends it with everything that it started, at once. */
  kill(): void
}

/** A connection of this program to which a process writes, and how. */
export interface Destination {
  readonly connection: Socket
  readonly as: OwnOutput
}

/** Where the standard output of a process goes. */
export interface Output {
  /** A connection that gets it instead of this program. */
  readonly to?: Destination | undefined
  /** Whether this program reads it into one buffer: see {@link OneBuffer}. Then only the pieces can be read. */
  readonly oneBuffer?: boolean | undefined
}

/** The program could not be started. The message says why, as the operating system puts it. */
export class NotStarted extends Error {
  override readonly name = 'NotStarted'
}

/**
 * The process that starts others was ended, and with it those that it had started; the next one gets a new one. Or it
 * did not answer in time.
 */
export class StarterEnded extends Error {
  override readonly name = 'StarterEnded'
}

export interface StarterOptions {
  /** Milliseconds in which the small process must have started a program. */
  readonly patience?: number
  /** Bytes of memory that each process may use, unless it sets itself another limit. Inherited, it costs no process of its own. */
  readonly memory?: number
}

/**
 * Starts processes by way of a small process. To start one, the operating system copies the page tables of the process
 * that asks for it, while that one stands still: 0.4 ms for 50 MB of memory, 48 ms for 1.6 GB. The small process is
 * started when it is first needed, again when somebody ends it, and ends with this program, however that ends; what it
 * has started ends with it.
 */
export class ProcessStarter {
  readonly #patience: number
  readonly #memory: number | undefined
  #helper: Promise<Helper> | undefined
  #isClosed = false

  constructor({ patience = 10_000, memory }: StarterOptions = {}) {
    this.#patience = patience
    this.#memory = memory
  }

  /**
   * Starts a program.
   * @throws {NotStarted} or {@link StarterEnded}
   */
  async start(program: Program, output: Output = {}): Promise<StartedProcess> {
    return (await this.#open()).start(program, output, this.#patience)
  }

  /** Ends all processes. None starts afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true
    await (await this.#helper?.catch(() => undefined))?.close()
  }

  #open(): Promise<Helper> {
    if (this.#isClosed) throw new NotStarted('no process starts any more')
    if (this.#helper !== undefined) return this.#helper
    const forget = (): void => {
      // It may have been replaced already.
      if (this.#helper === launched) this.#helper = undefined
    }
    const launched = Helper.launch(forget, this.#memory)
    launched.catch(forget)
    this.#helper = launched
    return launched
  }
}

/** A process that was asked for. */
interface PendingProcess {
  readonly started: PromiseWithResolvers<number>
  readonly ended: PromiseWithResolvers<Exit>
  pid?: number
}

/** One life of the small process. */
class Helper {
  readonly #child: ChildProcess
  /** With the socket. */
  readonly #folder: string
  readonly #asked = new Map<number, PendingProcess>()
  readonly #gone: Promise<void>
  /** Called when it is to start nothing more. */
  readonly #onGone: () => void
  #serial = 0
  #isRetired = false

  private constructor(child: ChildProcess, folder: string, onGone: () => void) {
    this.#child = child
    this.#folder = folder
    this.#onGone = onGone
    child.on('message', (message) => {
      if (isReport(message)) this.#hear(message)
    })
    const ended = Promise.withResolvers<void>()
    this.#gone = ended.promise
    const over = (error?: Error): void => {
      onGone()
      this.#failAll(error)
      rmSync(folder, { recursive: true, force: true })
      ended.resolve()
    }
    child.once('disconnect', onGone)
    child.once('exit', () => over())
    child.once('error', over)
  }

  static async launch(onGone: () => void, memory: number | undefined): Promise<Helper> {
    const folder = await shortFolder().catch((error: unknown) => {
      throw new NotStarted(String(error))
    })
    const script = join(import.meta.dirname, `starter-process${extname(import.meta.filename)}`)
    const cache = getCompileCacheDir()
    const child = fork(script, [join(folder, 'socket')], {
      cwd: '/',
      env: cache === undefined ? {} : { NODE_COMPILE_CACHE: cache },
      ...limited([process.execPath, '--max-semi-space-size=1'], memory),
      // A session of its own: what a terminal sends to this program does not reach it.
      detached: true,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const helper = new Helper(child, folder, onGone)
    await Promise.race([
      once(child, 'message'),
      helper.#gone.then(() => Promise.reject(new StarterEnded('the starter of processes does not start'))),
    ])
    helper.#hold()
    return helper
  }

  async start(
    program: Program,
    { to, oneBuffer = false }: Output,
    patience: number,
  ): Promise<StartedProcess> {
    if (!this.#child.connected) throw new StarterEnded(ENDED)
    const id = ++this.#serial
    const asked: PendingProcess = { started: Promise.withResolvers(), ended: Promise.withResolvers() }
    // Whoever asked may not have come to wait for the end when that fails.
    asked.ended.promise.catch(() => {})
    this.#asked.set(id, asked)
    this.#hold()
    const order: Order = { order: 'start', id, ...program, ownOutput: to?.as }
    this.#send(order, to?.connection)
    const stdin = this.#connect(id, 'in')
    const buffer = oneBuffer ? new OneBuffer() : undefined
    const stdout = to === undefined ? this.#connect(id, 'out', buffer) : undefined
    // Whoever writes to a process that reads no more gets EPIPE, unless a read finds ECONNRESET before.
    stdin.pause()
    const timer = setTimeout(() => this.#giveUp(id), patience)
    try {
      const pid = await asked.started.promise
      const ended = endOf(asked.ended.promise, stdin, stdout)
      ended.catch(() => {})
      const kill = () => this.#send({ order: 'kill', id })
      if (stdout === undefined) {
        const none = Readable.from([])
        return { pid, stdin, stdout: none, pieces: none, ended, kill }
      }
      return { pid, stdin, stdout, pieces: buffer?.of(stdout) ?? stdout, ended, kill }
    } catch (error) {
      stdin.destroy()
      stdout?.destroy()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  async close(): Promise<void> {
    if (this.#child.connected) this.#child.disconnect()
    this.#child.ref()
    await this.#gone
  }

  #send(order: Order, output?: Socket): void {
    if (!this.#child.connected) return
    // An error means that the small process has ended, which its exit says, too.
    this.#child.send(order, output, { keepOpen: true }, () => {})
  }

  #connect(id: number, stream: 'in' | 'out', buffer?: OneBuffer): Socket {
    const path = join(this.#folder, 'socket')
    const socket = connect({ path, ...(buffer && { onread: buffer.onread }) })
    const onError = () => this.#retire(id)
    socket.once('error', onError)
    socket.write(headerOf(id, stream), () => socket.off('error', onError))
    // A process that ends before it has read everything breaks the connection. Its exit code says why.
    socket.on('error', () => {})
    return socket
  }

  /** Somebody has removed the socket: the next process needs another helper. Those that run may go on. */
  #retire(id: number): void {
    this.#onGone()
    this.#isRetired = true
    this.#asked.get(id)?.started.reject(new StarterEnded('the starter of processes cannot be reached'))
    this.#asked.delete(id)
    this.#hold()
  }

  /** Nobody waits for a process any more that has not started in time. If it starts after all, it is ended. */
  #giveUp(id: number): void {
    this.#asked.get(id)?.started.reject(new StarterEnded('the starter of processes does not answer'))
    this.#asked.delete(id)
    this.#hold()
    this.#send({ order: 'kill', id })
  }

  #hear(report: Report): void {
    if (report.report === 'ready') return
    const asked = this.#asked.get(report.id)
    if (asked === undefined) return
    if (report.report === 'started') {
      asked.pid = report.pid
      asked.started.resolve(report.pid)
      return
    }
    this.#asked.delete(report.id)
    this.#hold()
    if (report.report === 'ended') asked.ended.resolve({ code: report.code, stderr: report.stderr })
    else asked.started.reject(new NotStarted(report.error))
  }

  /** Processes do not outlive the one that has started them, which would have told how they ended. */
  #failAll(cause: Error | undefined): void {
    const error = new StarterEnded(ENDED, { cause })
    for (const { pid, started, ended } of this.#asked.values()) {
      if (pid !== undefined) killGroup(pid)
      started.reject(error)
      ended.reject(error)
    }
    this.#asked.clear()
  }

  /** Keeps this program running while somebody waits for a process, and not otherwise. */
  #hold(): void {
    if (this.#isRetired && this.#asked.size === 0 && this.#child.connected) this.#child.disconnect()
    const how = this.#asked.size > 0 ? 'ref' : 'unref'
    this.#child[how]()
    this.#child.channel?.[how]()
  }
}

const ENDED = 'the starter of processes has ended'
