import { GitBusy } from '../errors.ts'

/** How many processes of a kind may run at once, and how many requests may wait for one. */
export interface SlotLimits {
  readonly atOnce: number
  readonly waiting: number
  /** Milliseconds. */
  readonly patience: number
}

interface Waiting {
  readonly take: () => void
  readonly refuse: (error: unknown) => void
}

/** A bounded number of slots with a bounded queue, first come first served. */
export class Slots {
  readonly #limits: SlotLimits
  readonly #queue: Waiting[] = []
  #taken = 0

  constructor(limits: SlotLimits) {
    this.#limits = limits
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#queue.length
  }

  /**
   * Waits for a slot.
   * @returns a function that gives it back; calling it again does nothing.
   * @throws {GitBusy} when the queue is full or took too long; the signal's reason when it is aborted meanwhile.
   */
  async take(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    if (this.#taken < this.#limits.atOnce) this.#taken += 1
    else await this.#wait(signal)
    let given = false
    return () => {
      if (given) return
      given = true
      const next = this.#queue.shift()
      if (next === undefined) this.#taken -= 1
      else next.take()
    }
  }

  #wait(signal: AbortSignal | undefined): Promise<void> {
    if (this.#queue.length >= this.#limits.waiting) throw new GitBusy()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
        const at = this.#queue.indexOf(waiting)
        if (at >= 0) this.#queue.splice(at, 1)
      }
      const waiting: Waiting = {
        take: () => {
          leave()
          resolve()
        },
        refuse: (error) => {
          leave()
          reject(error)
        },
      }
      const onAbort = () => waiting.refuse(signal?.reason)
      const timer = setTimeout(() => waiting.refuse(new GitBusy()), this.#limits.patience)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#queue.push(waiting)
    })
  }
}
