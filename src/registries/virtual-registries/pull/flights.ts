/** Work that several requests want at once, and that is done once in this process. */
export class Flights<T> {
  readonly #known = new Map<string, Promise<T>>()
  readonly #open = new Set<Promise<void>>()

  /** Does some work unless it is being done. */
  once(key: string, work: () => Flight<T>): Promise<T> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const { begun, ended } = work()
    this.#known.set(key, begun)
    const end = this.#forget(key, ended)
    this.#open.add(end)
    void end.finally(() => this.#open.delete(end))
    return begun
  }

  async #forget(key: string, ended: Promise<unknown>): Promise<void> {
    try {
      await ended
    } catch {
      // Whoever waits for the work hears of it.
    } finally {
      this.#known.delete(key)
    }
  }

  /** Once nothing is being done. */
  async settled(): Promise<void> {
    while (this.#open.size > 0) await Promise.all(this.#open)
  }
}

export interface Flight<T> {
  /** What everybody waits for. */
  readonly begun: Promise<T>
  /** What has to end before the work may begin again. */
  readonly ended: Promise<unknown>
}
