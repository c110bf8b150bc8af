import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** How often something was done in the current period, and the whole seconds until the period ends. */
export interface PeriodCount {
  readonly times: number
  readonly seconds: number
}

/** Where counts are kept. */
export interface Counters {
  /** Adds one to the count of this name and key. */
  add(name: string, key: number | string, seconds: number): Promise<PeriodCount>
  /** What is wrong with the counters; undefined when they work. */
  problem(): Promise<string | undefined>
  forget(): Promise<void>
  close(): Promise<void>
}

/** A limit may change between two requests, so a limiter only counts and never refuses. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER

export const countedIn = ({ consumedPoints, msBeforeNext }: RateLimiterRes): PeriodCount => ({
  times: consumedPoints,
  seconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
})

/** Counts in the memory of this process. With several processes, each counts for itself. */
export class MemoryCounters implements Counters {
  readonly #limiters = new Map<string, RateLimiterMemory>()

  async add(name: string, key: number | string, seconds: number): Promise<PeriodCount> {
    const limiter = this.#limiters.get(`${name}:${seconds}`) ?? (await this.#open(name, seconds))
    return countedIn(await limiter.consume(key))
  }

  async #open(name: string, duration: number): Promise<RateLimiterMemory> {
    // Loaded with the first count, so that a start need not wait for it.
    const { RateLimiterMemory } = await import('rate-limiter-flexible')
    // Another call may have made it meanwhile.
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
