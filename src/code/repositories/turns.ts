/** Runs work of the same number one after the other, and that of different numbers at once. */
export class Turns {
  readonly #last = new Map<number, Promise<unknown>>()

  /** @param id whose turn it is. */
  async take<T>(id: number, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(id) ?? Promise.resolve()
    const mine = before.then(work, work)
    const settled = mine.catch(() => {})
    this.#last.set(id, settled)
    try {
      return await mine
    } finally {
      if (this.#last.get(id) === settled) this.#last.delete(id)
    }
  }
}
