/** Characters that all documents may take together, and one. */
const MOST_TOGETHER = 16 * 1024 * 1024
const MOST_OF_ONE = MOST_TOGETHER / 4

/** The documents of packages that clients asked for lately, by their entity tags. The one that was kept first goes first. */
export class KeptDocuments {
  readonly #kept = new Map<string, string>()
  #characters = 0

  get(key: string): string | undefined {
    return this.#kept.get(key)
  }

  /** Passes a document on in its pieces, and keeps it once it is complete. */
  async *keep(key: string, pieces: AsyncIterable<string>): AsyncGenerator<string> {
    let whole = ''
    for await (const piece of pieces) {
      if (whole.length <= MOST_OF_ONE) whole += piece
      yield piece
    }
    if (whole.length > MOST_OF_ONE || this.#kept.has(key)) return
    this.#kept.set(key, whole)
    this.#characters += whole.length
    for (const [oldest, text] of this.#kept) {
      if (this.#characters <= MOST_TOGETHER) break
      this.#kept.delete(oldest)
      this.#characters -= text.length
    }
  }
}
