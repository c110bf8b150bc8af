import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { tooManyRequests } from './errors.ts'

/** That many within that time. */
export interface Allowance {
  readonly points: number
  readonly seconds: number
}

/** What people do so often that it is limited, counted by what they do and who they are. */
export interface Limits {
  /** Counts one more. @throws 429 past the allowance */
  take(name: string, key: number | string, allowance: Allowance): Promise<void>
  /** Starts from nothing, as after a reset of everything. */
  forget(): Promise<void>
}

/** Counts in the memory of this process; with several processes, each counts for itself. */
export class MemoryLimits implements Limits {
  readonly #counters = new Map<string, RateLimiterMemory>()

  async take(name: string, key: number | string, { points, seconds }: Allowance): Promise<void> {
    const counter = await this.#counterOf(name, seconds)
    const { consumedPoints, msBeforeNext } = await counter.consume(key)
    if (consumedPoints > points) throw tooManyRequests(Math.max(1, Math.ceil(msBeforeNext / 1000)))
  }

  async forget(): Promise<void> {
    this.#counters.clear()
  }

  async #counterOf(name: string, duration: number): Promise<RateLimiterMemory> {
    const key = `${name}:${duration}`
    const known = this.#counters.get(key)
    if (known !== undefined) return known
    // Loaded when something is counted for the first time: a start need not wait for it.
    const { RateLimiterMemory } = await import('rate-limiter-flexible')
    // How many are too many may change between two requests, so it only counts.
    const counter = new RateLimiterMemory({ points: Number.MAX_SAFE_INTEGER, duration })
    // Somebody else may have been as early.
    const first = this.#counters.get(key) ?? counter
    this.#counters.set(key, first)
    return first
  }
}
