/** Measures how slowly somebody takes what waits for them. Whoever keeps to the pace is never too slow. */
export class ReadingMeter {
  readonly #bytesPerSecond: number
  #last: { readonly taken: number; readonly allowed: number; readonly at: number } | undefined

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond
  }

  /**
   * Tells how much they have taken by now.
   * @param most milliseconds that they may be slow in all
   * @param onlyStill whether time counts only if nothing was taken in it
   * @returns whether they are too slow
   */
  isTooSlow(taken: number, most: number, onlyStill = false): boolean {
    // Real time, even where a test fixes the clock, because it measures the network.
    const now = performance.now()
    const last = this.#last ?? { taken, allowed: most, at: now }
    const more = Math.max(0, taken - last.taken)
    const passed = onlyStill && more > 0 ? 0 : now - last.at
    const allowed = Math.min(most, last.allowed - passed + (more / this.#bytesPerSecond) * 1000)
    this.#last = { taken: last.taken + more, allowed, at: now }
    return allowed <= 0
  }
}
