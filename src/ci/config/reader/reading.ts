import { AsyncLocalStorage } from 'node:async_hooks'
import type { ChildProcess } from 'node:child_process'
import { Busy } from '#platform/refusals.ts'
import { isFromReader, type Order, type Question, type Reply, type ToReader } from './messages.ts'

/** Answers what a reader asks. The signal ends it when nobody waits any longer. */
export type Answering = (question: Question, signal: AbortSignal) => Promise<Reply>

/** How a reading ended: with a text (packed.ts), or because it took too much. */
export type Outcome = { readonly text: string } | { readonly tooMuch: 'work' | 'time' | 'memory' }

export interface ReadingLimits {
  /**
   * Milliseconds that a process may work. It also bounds patterns for paths: they are JavaScript's, which can go back
   * and forth in a text for ever.
   */
  readonly work: number
  /** Milliseconds in all, with the wait for what it asks. */
  readonly time: number
}

/** One reading in a process that does nothing else meanwhile. */
export class Reading {
  /** What kept the server from answering a question. The process has ended the reading for it. */
  failure: { readonly error: unknown } | undefined
  /** Milliseconds that the process has worked, without the wait for answers. */
  worked = 0
  readonly #child: ChildProcess
  readonly #answer: Answering
  readonly #limits: ReadingLimits
  readonly #over = new AbortController()
  readonly #outcome = Promise.withResolvers<Outcome>()
  /** Questions that have no answer yet: meanwhile the process does not work. */
  #open = 0
  #since = performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(child: ChildProcess, answer: Answering, limits: ReadingLimits) {
    this.#child = child
    this.#answer = answer
    this.#limits = limits
  }

  async read(order: Order): Promise<Outcome> {
    const child = this.#child
    // Events of the process come from nowhere; what they set off is for the caller.
    const forCaller = AsyncLocalStorage.snapshot()
    const onMessage = (message: unknown): void => forCaller(() => this.#receive(message))
    const onError = (error: unknown): void => this.#outcome.reject(error)
    const onExit = (_code: number | null, signal: string | null): void => this.#gone(signal)
    child.on('message', onMessage)
    child.on('error', onError)
    child.on('exit', onExit)
    const end = setTimeout(() => this.#outcome.resolve({ tooMuch: 'time' }), this.#limits.time)
    this.#resume()
    this.#send({ order })
    try {
      return await this.#outcome.promise
    } finally {
      clearTimeout(end)
      if (this.#open === 0) this.#pause()
      this.#over.abort()
      child.off('message', onMessage)
      child.off('error', onError)
      child.off('exit', onExit)
    }
  }

  #send(message: ToReader): void {
    // What cannot be sent goes to a process that has ended, of which another event tells.
    this.#child.send(message, () => {})
  }

  #receive(message: unknown): void {
    if (!isFromReader(message)) return
    if ('question' in message) void this.#reply(message.number, message.question)
    else if ('done' in message) this.#outcome.resolve({ text: message.done })
    else this.#outcome.reject(new Error(`A configuration could not be read: ${message.failed}`))
  }

  async #reply(number: number, question: Question): Promise<void> {
    if (this.#open === 0) this.#pause()
    this.#open += 1
    let reply: Reply
    try {
      reply = await this.#answer(question, this.#over.signal)
    } catch (error) {
      if (this.#over.signal.aborted) return
      this.failure ??= { error }
      reply = { abandoned: true }
    }
    if (this.#over.signal.aborted) return
    this.#open -= 1
    if (this.#open === 0) this.#resume()
    this.#send({ to: number, reply })
  }

  #resume(): void {
    this.#since = performance.now()
    const left = this.#limits.work - this.worked
    this.#timer = setTimeout(() => this.#outcome.resolve({ tooMuch: 'work' }), left)
  }

  #pause(): void {
    clearTimeout(this.#timer)
    this.worked += performance.now() - this.#since
  }

  /** Node.js aborts where a heap is full. */
  #gone(signal: string | null): void {
    if (signal === 'SIGABRT' || signal === 'SIGTRAP') this.#outcome.resolve({ tooMuch: 'memory' })
    else if (signal === 'SIGXCPU') this.#outcome.resolve({ tooMuch: 'work' })
    else this.#outcome.reject(new Busy('the configuration was not read to its end; try again'))
  }
}
