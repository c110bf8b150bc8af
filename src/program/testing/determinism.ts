import { createHash } from 'node:crypto'
import { type Clock, type Randomness, systemRandomness } from '#platform/context.ts'

/** Where the clock stands that begins with a seed. */
const BEGINNING = Date.parse('2030-01-01T00:00:00Z')

/** A clock that tests set, stop and move on. */
export class AdjustableClock implements Clock {
  readonly #startsStopped: boolean
  /** Where it stands, or how far it is ahead of the machine's clock. */
  #at: { readonly stopped: number } | { readonly ahead: number }

  /** @param startsStopped at the beginning of 2030, so that each run gives the same times */
  constructor({ startsStopped }: { readonly startsStopped: boolean }) {
    this.#startsStopped = startsStopped
    this.#at = this.#beginning()
  }

  now(): Date {
    return new Date('stopped' in this.#at ? this.#at.stopped : Date.now() + this.#at.ahead)
  }

  get isStopped(): boolean {
    return 'stopped' in this.#at
  }

  /** Goes on from a moment, or stands still there. */
  set(moment: number, isStopped: boolean): void {
    this.#at = isStopped ? { stopped: moment } : { ahead: moment - Date.now() }
  }

  /** As it was at the start. */
  reset(): void {
    this.#at = this.#beginning()
  }

  #beginning() {
    return this.#startsStopped ? { stopped: BEGINNING } : { ahead: 0 }
  }
}

/**
 * Bytes that follow from a seed, if there is one: ids and secrets are then the same in each run. Requests for different numbers of bytes do not
 * influence each other, so that what the program draws for itself at any time, a byte or four, changes no secret.
 */
export class AdjustableRandomness implements Randomness {
  #seed: number | undefined
  readonly #drawn = new Map<number, number>()

  constructor(seed: number | undefined) {
    this.#seed = seed
  }

  bytes(count: number): Buffer {
    if (this.#seed === undefined) return systemRandomness.bytes(count)
    const times = (this.#drawn.get(count) ?? 0) + 1
    this.#drawn.set(count, times)
    return createHash('shake256', { outputLength: count }).update(`${this.#seed} ${count} ${times}`).digest()
  }

  /** Begins anew with a seed. */
  reset(seed: number | undefined): void {
    this.#seed = seed
    this.#drawn.clear()
  }

  /** @returns what goes back to the present state. */
  remember(): () => void {
    const [seed, drawn] = [this.#seed, [...this.#drawn]]
    return () => {
      this.reset(seed)
      for (const [count, times] of drawn) this.#drawn.set(count, times)
    }
  }
}
