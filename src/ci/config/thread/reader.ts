import { extname, join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { unavailable } from '#platform/refusals.ts'
import { Shares } from '#platform/shares/shares.ts'
import type { Answer, FromThread, Question, Reading, ToThread } from './messages.ts'

/** Threads at most. They are started when somebody needs them, and end after a while without work. */
const THREADS = 2
/** Milliseconds that a thread may work on one configuration, without the time in which it waits for answers. */
const WORK = 10_000
/** The same with that time: other servers may be slow. */
const WHOLE = 60_000
/** Milliseconds after which a thread without work ends. */
const IDLE = 60_000
const MEBIBYTES = 384

/** The configuration takes too long, or too much memory. */
export class ReadingFailed extends Error {
  override readonly name = 'ReadingFailed'
}

/** Nobody gets both threads, and those who wait are few. */
const shares = new Shares({
  atOnce: THREADS,
  each: 1,
  waiting: 50,
  waitingInAll: 500,
  patience: 60_000,
})
const idle: ReaderThread[] = []

/**
 * Reads a configuration in a thread.
 * @param caller whose share it takes
 * @param answer finds what the thread asks for
 * @returns JSON
 * @throws {ReadingFailed} and 503 where too many wait
 */
export async function readInThread(
  caller: string,
  reading: Reading,
  answer: (question: Question) => Promise<Answer>,
): Promise<string> {
  const leave = await place(caller)
  const thread = idle.pop() ?? new ReaderThread()
  try {
    const json = await thread.read(reading, answer)
    thread.rest()
    return json
  } catch (error) {
    thread.end()
    throw error
  } finally {
    leave()
  }
}

const place = (caller: string): Promise<() => void> =>
  new Promise((resolve, reject) => {
    shares.ask(
      caller,
      (granted) => resolve(() => shares.leave(granted)),
      () => reject(unavailable('Too many CI configurations are being read')),
    )
  })

class ReaderThread {
  readonly #worker: Worker
  #sleep: NodeJS.Timeout | undefined

  constructor() {
    const script = `reader-thread${extname(import.meta.filename)}`
    this.#worker = new Worker(join(import.meta.dirname, script), {
      resourceLimits: { maxOldGenerationSizeMb: MEBIBYTES },
    })
    this.#worker.unref()
    // While nothing is read, nobody waits for it.
    this.#worker.on('error', () => this.end())
  }

  read(reading: Reading, answer: (question: Question) => Promise<Answer>): Promise<string> {
    clearTimeout(this.#sleep)
    return new Promise((resolve, reject) => {
      const worker = this.#worker
      worker.ref()
      let waiting = 0
      const tooLong = () =>
        finish(() => reject(new ReadingFailed('The configuration takes too long to read')))
      const whole = setTimeout(tooLong, WHOLE)
      let work = setTimeout(tooLong, WORK)
      const finish = (settle: () => void) => {
        clearTimeout(whole)
        clearTimeout(work)
        worker.removeListener('message', hear).removeListener('error', fail).removeListener('exit', exit)
        worker.unref()
        settle()
      }
      const fail = () =>
        finish(() => reject(new ReadingFailed('The configuration takes too much memory to read')))
      const exit = () => fail()
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
      const send = (message: ToThread) => worker.postMessage(message)
      const tell = async (call: number, question: Question) => {
        try {
          const found = await answer(question)
          waiting -= 1
          if (waiting === 0) work = setTimeout(tooLong, WORK)
          send({ kind: 'answer', call, answer: found })
        } catch (error) {
          finish(() => reject(error instanceof Error ? error : new Error(String(error))))
        }
      }
      const hear = (message: FromThread) => {
        if (message.kind === 'read') finish(() => resolve(message.json))
        else if (message.kind === 'failed') finish(() => reject(new Error(message.why)))
        else {
          waiting += 1
          clearTimeout(work)
          void tell(message.call, message.question)
        }
      }
      worker.on('message', hear).on('error', fail).on('exit', exit)
      send(reading)
    })
  }

  /** Waits for the next configuration, for a while. */
  rest(): void {
    idle.push(this)
    this.#sleep = setTimeout(() => this.end(), IDLE).unref()
  }

  end(): void {
    clearTimeout(this.#sleep)
    const at = idle.indexOf(this)
    if (at >= 0) idle.splice(at, 1)
    void this.#worker.terminate()
  }
}
