import { type FileHandle, open } from 'node:fs/promises'
import { setTimeout as wait } from 'node:timers/promises'
import { retry, RefusedByServer } from './api.ts'
import { type JobClient, type UpdateResult, updateResultOf } from './job-client.ts'

/** Bytes that are sent at once. */
const MOST_PIECE = 1024 * 1024
/** Bytes of a log; what comes behind them is thrown away. */
const MOST = 64 * 1024 * 1024
const TOO_LONG = Buffer.from('\nThe log is too long: the rest is not kept.\n')
const NEWLINE = 0x0a
/** Pieces in a row of which a server takes nothing, before it is believed to take none. */
const MOST_STUCK = 10
/** Milliseconds after which the server hears of a job that writes nothing, so that it can say that it is canceled. */
const SILENCE = 3_000

/** The log of a job: kept in a file, and sent while the job runs. */
export class JobLog {
  readonly #file: FileHandle
  readonly #client: JobClient
  readonly #onStatus: (status: string) => void
  #size = 0
  #sent = 0
  #stuck = 0
  #isFull = false
  #endsLine = true
  #writing = Promise.resolve()
  readonly #closing = new AbortController()
  readonly #sending: Promise<void>

  private constructor(file: FileHandle, client: JobClient, onStatus: (status: string) => void) {
    this.#file = file
    this.#client = client
    this.#onStatus = onStatus
    this.#sending = this.#send()
  }

  /** @param onStatus hears the status of the job whenever the server says one, and `gone` where it knows of no such job */
  static async open(path: string, client: JobClient, onStatus: (status: string) => void): Promise<JobLog> {
    return new JobLog(await open(path, 'w+', 0o600), client, onStatus)
  }

  /** Bytes so far. */
  get size(): number {
    return this.#size
  }

  /** Adds what a script wrote. */
  write(piece: Buffer): Promise<void> {
    return this.#inOrder(() => this.#append(piece))
  }

  /** Adds a line of the runner's own, which begins a new one whatever is before it. */
  say = (text: string): Promise<void> =>
    this.#inOrder(() => this.#append(Buffer.from(`${this.#endsLine ? '' : '\n'}${text}\n`)))

  #inOrder(append: () => Promise<void>): Promise<void> {
    const written = this.#writing.then(append)
    this.#writing = written.catch(() => {})
    return written
  }

  async #append(piece: Buffer): Promise<void> {
    if (this.#isFull) return
    this.#isFull = this.#size + piece.length > MOST
    const bytes = this.#isFull ? Buffer.concat([piece.subarray(0, MOST - this.#size), TOO_LONG]) : piece
    await this.#file.write(bytes, 0, bytes.length, this.#size)
    this.#size += bytes.length
    this.#endsLine = bytes.length === 0 ? this.#endsLine : bytes.at(-1) === NEWLINE
  }

  /** Sends the rest, and closes the file. */
  async close(): Promise<void> {
    await this.#writing
    this.#closing.abort()
    try {
      await this.#sending
    } finally {
      await this.#file.close()
    }
  }

  async #send(): Promise<void> {
    const { signal } = this.#closing
    let heard = performance.now()
    try {
      while (!signal.aborted || this.#sent < this.#size) {
        let result: UpdateResult | undefined
        if (this.#sent < this.#size) result = await this.#retry(() => this.#sendPiece())
        else if (performance.now() - heard > SILENCE)
          result = await this.#retry(() => this.#client.keepAlive())
        if (result !== undefined) heard = performance.now()
        if (result?.status !== undefined) this.#onStatus(result.status)
        const interval = Math.min(result?.interval ?? 1_000, SILENCE)
        if (!signal.aborted) await wait(interval, undefined, { signal }).catch(() => {})
      }
    } catch (error) {
      const status = error instanceof RefusedByServer ? updateResultOf(error.headers).status : undefined
      this.#onStatus(status === undefined || status === 'running' ? 'gone' : status)
    }
  }

  #retry(attempt: () => Promise<UpdateResult>): Promise<UpdateResult> {
    return retry(attempt, { until: performance.now() + 60 * 60_000 })
  }

  async #sendPiece(): Promise<UpdateResult> {
    const length = Math.min(MOST_PIECE, this.#size - this.#sent)
    const { buffer, bytesRead } = await this.#file.read(Buffer.alloc(length), 0, length, this.#sent)
    const result = await this.#client.appendLog(this.#sent, buffer.subarray(0, bytesRead))
    // A server whose answer was lost has more than this runner knows.
    this.#stuck = result.size > this.#sent ? 0 : this.#stuck + 1
    if (this.#stuck > MOST_STUCK) throw new Error('The server does not take the log')
    this.#sent = Math.min(result.size, this.#size)
    return result
  }
}
