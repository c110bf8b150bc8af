import type { ReceivedJob } from './job.ts'
import type { RunnerApi } from './runner-api.ts'

/** Bytes of one piece. */
const PIECE = 256 * 1024
/** Bytes that wait at most: beyond them, whoever writes has to wait. */
const MOST_WAITING = 4 * 1024 * 1024
/** Milliseconds after which the server is told that a silent job still runs. */
const SILENCE = 30_000

/** Somebody has canceled the job. */
export class Canceled extends Error {
  override readonly name = 'Canceled'
}

/** The log of a job, sent piece by piece while it runs. The answers tell when somebody cancels the job. */
export class JobLog {
  readonly #api: RunnerApi
  readonly #job: ReceivedJob
  readonly #canceled = new AbortController()
  readonly #given: AbortSignal
  #waiting: Buffer = Buffer.alloc(0)
  /** Bytes that the server has. */
  #sent = 0
  #isEnded = false
  #wake = Promise.withResolvers<void>()
  #room = Promise.withResolvers<void>()
  readonly #sending: Promise<void>

  /** @param given ends the sending, whatever waits */
  constructor(api: RunnerApi, job: ReceivedJob, given: AbortSignal) {
    this.#api = api
    this.#job = job
    this.#given = given
    this.#sending = this.#send()
  }

  /** Aborted with {@link Canceled} when somebody cancels the job. */
  get canceled(): AbortSignal {
    return this.#canceled.signal
  }

  /** Adds bytes. Resolves once there is room for more. */
  async write(bytes: Buffer | string): Promise<void> {
    this.#waiting = Buffer.concat([this.#waiting, Buffer.from(bytes)])
    this.#wake.resolve()
    while (this.#waiting.length > MOST_WAITING && !this.#isOver) await this.#room.promise
  }

  /** Adds a line of the runner's own. */
  line(text: string): Promise<void> {
    return this.write(`${text}\n`)
  }

  /** Sends the rest. */
  async end(): Promise<void> {
    this.#isEnded = true
    this.#wake.resolve()
    await this.#sending
  }

  get #isOver(): boolean {
    return this.#given.aborted || this.canceled.aborted
  }

  async #send(): Promise<void> {
    try {
      while (!this.#isOver && (!this.#isEnded || this.#waiting.length > 0)) {
        if (this.#waiting.length === 0) await this.#somethingOrSilence()
        else await this.#sendPiece()
      }
    } catch (error) {
      // Nobody takes the log any more: the job cannot go on unseen.
      if (!this.#given.aborted) this.#canceled.abort(error)
    } finally {
      this.#room.resolve()
    }
  }

  async #sendPiece(): Promise<void> {
    const piece = this.#waiting.subarray(0, PIECE)
    const { size, isCanceled, interval } = await this.#api.appendLog(
      this.#job,
      this.#sent,
      piece,
      this.#given,
    )
    if (isCanceled) return this.#canceled.abort(new Canceled('the job was canceled'))
    const taken = size - this.#sent
    if (taken < 0 || taken > this.#waiting.length) throw new Error('the server has another log of this job')
    this.#waiting = this.#waiting.subarray(taken)
    this.#sent = size
    this.#room.resolve()
    this.#room = Promise.withResolvers()
    const isMuch = this.#waiting.length >= PIECE
    if (!this.#isEnded && !isMuch) await this.#after(interval, () => this.#isEnded)
  }

  async #somethingOrSilence(): Promise<void> {
    if (await this.#after(SILENCE, () => this.#waiting.length > 0 || this.#isEnded)) return
    if (await this.#api.tellAlive(this.#job, this.#given))
      this.#canceled.abort(new Canceled('the job was canceled'))
  }

  /** Waits. @returns whether it ended early, because of what is asked for */
  async #after(milliseconds: number, isReady: () => boolean): Promise<boolean> {
    const until = performance.now() + milliseconds
    while (!isReady() && !this.#isOver) {
      const left = until - performance.now()
      if (left <= 0) return false
      this.#wake = Promise.withResolvers()
      const timer = setTimeout(this.#wake.resolve, Math.min(left, 1_000))
      await this.#wake.promise
      clearTimeout(timer)
    }
    return true
  }
}
