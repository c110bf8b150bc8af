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
    const end: Promise<void> = ended
      .catch(() => {})
      .then(() => {
        this.#known.delete(key)
        this.#open.delete(end)
      })
    this.#open.add(end)
    return begun
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
