/** Something that waits for its turn, with what becomes of it. */
interface QueuedItem<T, R> {
  readonly item: T
  readonly resolve: (result: R) => void
  readonly reject: (error: unknown) => void
}

/**
 * Does together what arrives together: while one batch is under way, the next one gathers. So many small pieces of work take
 * few statements and commits, and a single one waits for nothing.
 */
export class Batches<T, R> {
  readonly #work: (items: readonly T[]) => Promise<readonly R[]>
  readonly #most: number
  #waiting: QueuedItem<T, R>[] = []
  #isBusy = false

  /**
   * @param work does all items, and gives one result for each, in their order.
   * @param most the most items of a batch.
   */
  constructor(work: (items: readonly T[]) => Promise<readonly R[]>, most: number) {
    this.#work = work
    this.#most = most
  }

  /** Does one item. It fails alone: when a batch fails, each of its items is done by itself. */
  do(item: T): Promise<R> {
    const { promise, resolve, reject } = Promise.withResolvers<R>()
    this.#waiting.push({ item, resolve, reject })
    if (!this.#isBusy) void this.#run()
    return promise
  }

  async #run(): Promise<void> {
    this.#isBusy = true
    // Requests that arrived in the same moment come along.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, this.#most)
      if (!(await this.#together(batch))) for (const one of batch) await this.#alone(one)
    }
    this.#isBusy = false
  }

  async #together(batch: readonly QueuedItem<T, R>[]): Promise<boolean> {
    try {
      const results = await this.#work(batch.map(({ item }) => item))
      for (const [index, { resolve, reject }] of batch.entries()) {
        const result = results[index]
        if (result === undefined) reject(new Error('A batch gave no result'))
        else resolve(result)
      }
      return true
    } catch (error) {
      const [only] = batch
      if (batch.length !== 1 || only === undefined) return false
      only.reject(error)
      return true
    }
  }

  async #alone(one: QueuedItem<T, R>): Promise<void> {
    await this.#together([one])
  }
}
