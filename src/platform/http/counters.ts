import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** How often something was done since its time began, and the whole seconds that this time still lasts. */
export interface Counted {
  readonly times: number
  readonly seconds: number
}

/** Where is counted. */
export interface Counters {
  /** One more of what has this name, for this key. */
  add(name: string, key: number | string, seconds: number): Promise<Counted>
  /** What is wrong with it; undefined when it works. */
  problem(): Promise<string | undefined>
  forget(): Promise<void>
  close(): Promise<void>
}

/** How many are too many may change between two requests, so a limiter only counts. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER

export const countedIn = ({ consumedPoints, msBeforeNext }: RateLimiterRes): Counted => ({
  times: consumedPoints,
  seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

/** Counts in the memory of this process; with several processes, each counts for itself. */
export class MemoryCounters implements Counters {
  readonly #limiters = new Map<string, RateLimiterMemory>()

  async add(name: string, key: number | string, seconds: number): Promise<Counted> {
    const limiter = this.#limiters.get(`${name}:${seconds}`) ?? (await this.#open(name, seconds))
    return countedIn(await limiter.consume(key))
  }

  async #open(name: string, duration: number): Promise<RateLimiterMemory> {
    // Loaded when something is counted for the first time: a start need not wait for it.
    const { RateLimiterMemory } = await import('rate-limiter-flexible')
    // Somebody else may have been as early.
    const limiter =
      this.#limiters.get(`${name}:${duration}`) ?? new RateLimiterMemory({ points: UNLIMITED, duration })
    this.#limiters.set(`${name}:${duration}`, limiter)
    return limiter
  }

  problem = async () => undefined

  async forget(): Promise<void> {
    this.#limiters.clear()
  }

  close = () => this.forget()
}
