/** How often a text is sent before it gets a name. Most texts are sent rarely, and PostgreSQL would keep each on each connection. */
const OFTEN = 20
/** Texts that get names. Whoever can cause many texts uses up these places, and costs PostgreSQL no more memory than they do. */
const MAX_NAMED = 250
/** Characters of a text that gets a name: PostgreSQL needs some ten bytes for each, on each connection. */
const MAX_LENGTH = 12_000
/** Texts that are counted at a time. */
const MAX_COUNTED = 1_000

/**
 * Which of the texts that were built for one request alone are sent often. They get names as those of statement.ts have, so that
 * PostgreSQL parses each once on a connection, and plans it once where its plan does not depend on the values.
 */
export class FrequentTexts {
  readonly #named = new Set<string>()
  readonly #counts = new Map<string, number>()

  /** Counts a text. @returns whether it is sent often */
  isFrequent(text: string): boolean {
    if (this.#named.has(text)) return true
    if (this.#named.size >= MAX_NAMED || text.length > MAX_LENGTH) return false
    const count = (this.#counts.get(text) ?? 0) + 1
    if (count >= OFTEN) {
      this.#counts.delete(text)
      this.#named.add(text)
      return true
    }
    // The ones that were counted first and are still rare make room.
    const [first] = this.#counts.keys()
    if (count === 1 && first !== undefined && this.#counts.size >= MAX_COUNTED) this.#counts.delete(first)
    this.#counts.set(text, count)
    return false
  }
}
