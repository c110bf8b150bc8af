/** Bytes of all answers that are kept. */
const MAX_BYTES = 32 * 1024 * 1024
/** Bytes of the answers about one repository, so that whoever asks much about one keeps room for others. */
const MAX_OF_REPOSITORY = MAX_BYTES / 4
/** Larger answers are not kept. */
const MAX_ANSWER = 1024 * 1024
/** Characters of a key: what is asked about more ids than a page shows is not asked again. */
const MAX_KEY = 4_000
/** What an answer occupies besides its own bytes. */
const OVERHEAD = 300

interface Answer {
  readonly value: unknown
  readonly bytes: number
}

/** The answers about one repository, the one that was used longest ago first. */
interface Shelf {
  readonly answers: Map<string, Answer>
  bytes: number
}

/** How an answer is kept. */
export interface Keeping<Value> {
  /** About how many bytes it occupies. Undefined for one that may be another one next time, such as one that ended early. */
  readonly bytes: (value: Value) => number | undefined
}

/**
 * What git has answered about commits, trees and files by their ids. Such an answer never changes, so it is right on every
 * node and after every push; what is asked by a name must not be kept here, but by the version of what has the name. Whoever asks has found the ids in the repository
 * before, and has proved that the caller may read it: docs/decisions/0033-git-answers.md.
 */
export class KeptAnswers {
  /** By the id of the repository, the one that was asked longest ago first. */
  readonly #shelves = new Map<number, Shelf>()
  readonly #asking = new Map<string, Promise<unknown>>()
  #bytes = 0
  #hits = 0
  #misses = 0

  get usage(): { readonly bytes: number; readonly hits: number; readonly misses: number } {
    return { bytes: this.#bytes, hits: this.#hits, misses: this.#misses }
  }

  /**
   * An answer about ids, asked for once however many want it at the same time.
   * @param key has the ids and everything else that the answer depends on.
   */
  async answer<Value>(
    repository: { readonly id: number },
    key: string,
    ask: () => Promise<Value>,
    { bytes }: Keeping<Value>,
  ): Promise<Value> {
    if (key.length > MAX_KEY) return ask()
    const asking = `${repository.id} ${key}`
    for (;;) {
      const known = this.#find(repository.id, key)
      // Nothing else is kept under the key.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (known !== undefined) return known.value as Value
      const others = this.#asking.get(asking)
      if (others === undefined) break
      // Whoever asked may have had less time left than this caller has, who then asks again.
      await others.catch(() => {})
    }
    this.#misses += 1
    const asked = ask()
    this.#asking.set(asking, asked)
    try {
      const value = await asked
      this.#keep(repository.id, key, value, bytes(value))
      return value
    } finally {
      this.#asking.delete(asking)
    }
  }

  /**
   * Answers about each of some ids.
   * @param kind what is asked about them, with everything but the id that the answer depends on.
   * @param ask is called once, for those of which nothing is kept. An id that it leaves out has no answer yet.
   */
  async answers<Value>(
    repository: { readonly id: number },
    kind: string,
    ids: readonly string[],
    ask: (missing: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
    { bytes }: Keeping<Value>,
  ): Promise<ReadonlyMap<string, Value>> {
    const found = new Map<string, Value>()
    const missing: string[] = []
    for (const id of ids) {
      const known = this.#find(repository.id, `${kind} ${id}`)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      if (known !== undefined) found.set(id, known.value as Value)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    this.#misses += missing.length
    for (const [id, value] of await ask(missing)) {
      found.set(id, value)
      this.#keep(repository.id, `${kind} ${id}`, value, bytes(value))
    }
    return found
  }

  #find(repository: number, key: string): Answer | undefined {
    const shelf = this.#shelves.get(repository)
    const answer = shelf?.answers.get(key)
    if (shelf === undefined || answer === undefined) return undefined
    this.#hits += 1
    moveToEnd(this.#shelves, repository, shelf)
    moveToEnd(shelf.answers, key, answer)
    return answer
  }

  #keep(repository: number, key: string, value: unknown, size: number | undefined): void {
    if (size === undefined || size > MAX_ANSWER) return
    const shelf = this.#shelves.get(repository) ?? { answers: new Map(), bytes: 0 }
    moveToEnd(this.#shelves, repository, shelf)
    this.#remove(shelf, key)
    const bytes = size + key.length + OVERHEAD
    shelf.answers.set(key, { value, bytes })
    shelf.bytes += bytes
    this.#bytes += bytes
    while (shelf.bytes > MAX_OF_REPOSITORY) this.#removeOldest(repository, shelf)
    while (this.#bytes > MAX_BYTES) {
      const [oldest] = this.#shelves
      if (oldest === undefined) break
      this.#removeOldest(...oldest)
    }
  }

  #removeOldest(repository: number, shelf: Shelf): void {
    const [key] = shelf.answers.keys()
    if (key !== undefined) this.#remove(shelf, key)
    if (shelf.answers.size === 0) this.#shelves.delete(repository)
  }

  #remove(shelf: Shelf, key: string): void {
    const answer = shelf.answers.get(key)
    if (answer === undefined) return
    shelf.answers.delete(key)
    shelf.bytes -= answer.bytes
    this.#bytes -= answer.bytes
  }
}

function moveToEnd<Key, Value>(map: Map<Key, Value>, key: Key, value: Value): void {
  map.delete(key)
  map.set(key, value)
}
