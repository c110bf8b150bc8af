import { currentCaller } from '#platform/shares/caller.ts'

/** Bytes of all answers that are kept. */
const MAX_BYTES = 32 * 1024 * 1024
/** Bytes of the answers about one repository, so that whoever asks much about one keeps room for others. */
const MAX_OF_REPOSITORY = MAX_BYTES / 4
/** Bytes of what one caller was the first to ask, so that nobody empties it for the others by asking about many repositories. */
const MAX_OF_CALLER = MAX_BYTES / 4
/** Larger answers are not kept. */
const MAX_ANSWER = 1024 * 1024
/** Characters of a key: what is asked about more ids than a page shows is not asked again. */
const MAX_KEY = 4_000
/** What an answer occupies besides its own bytes. */
const OVERHEAD = 300

/** An answer that is kept, with the shares that it counts for. */
interface Answer {
  readonly name: string
  readonly value: unknown
  readonly bytes: number
  readonly shares: readonly Share[]
}

/** What somebody has asked, together with what it occupies. */
interface Asked {
  readonly value: unknown
  /** Undefined where whoever asks again may learn more. */
  readonly size: number | undefined
}

/** How an answer is kept. */
export interface Keeping<Value> {
  /** About how many bytes it occupies. Undefined for one that may be another one next time, such as one that ended early. */
  readonly bytes: (value: Value) => number | undefined
}

/** Answers that may occupy so many bytes together. */
class Share {
  readonly #most: number
  readonly #whenEmpty: () => void
  /** The one that was used longest ago first. */
  readonly #answers = new Set<Answer>()
  bytes = 0

  constructor(most: number, whenEmpty = () => {}) {
    this.#most = most
    this.#whenEmpty = whenEmpty
  }

  add(answer: Answer): void {
    this.#answers.add(answer)
    this.bytes += answer.bytes
  }

  use(answer: Answer): void {
    this.#answers.delete(answer)
    this.#answers.add(answer)
  }

  remove(answer: Answer): void {
    if (!this.#answers.delete(answer)) return
    this.bytes -= answer.bytes
    if (this.#answers.size === 0) this.#whenEmpty()
  }

  /** Those that have to go, the oldest first; whoever asks removes each before the next one. */
  *tooMany(): Generator<Answer> {
    for (const answer of this.#answers) {
      if (this.bytes <= this.#most) return
      yield answer
    }
  }
}

/**
 * What git has answered about commits, trees and files by their ids. Such an answer never changes, so it is right on every
 * node and after every push; what is asked by a name must not be kept here, but by the version of what has the name. Whoever asks has found the ids in the repository
 * before, and has proved that the caller may read it: docs/decisions/0033-git-answers.md.
 */
export class KeptAnswers {
  readonly #answers = new Map<string, Answer>()
  readonly #all = new Share(MAX_BYTES)
  /** By the id of the repository. */
  readonly #repositories = new Map<number, Share>()
  readonly #callers = new Map<string, Share>()
  readonly #asking = new Map<string, Promise<Asked>>()
  #hits = 0
  #misses = 0

  get usage(): { readonly bytes: number; readonly hits: number; readonly misses: number } {
    return { bytes: this.#all.bytes, hits: this.#hits, misses: this.#misses }
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
    const name = nameOf(repository, key)
    const known = this.#find(name)
    // Nothing else is kept under the name.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    if (known !== undefined) return known.value as Value
    const running = this.#asking.get(name)
    // Without a pause where nobody asks: who comes next must find that this caller does.
    const others = running === undefined ? undefined : await running.catch(() => {})
    // Whoever asked may have had less time left than this caller has, who then asks too, and waits for nobody else.
    if (others?.size !== undefined) {
      this.#hits += 1
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      return others.value as Value
    }
    this.#misses += 1
    const asked = ask()
    const asking = asked.then((value) => ({ value, size: bytes(value) }))
    this.#asking.set(name, asking)
    try {
      const { size } = await asking
      const value = await asked
      this.#keep(repository.id, name, value, size)
      return value
    } finally {
      if (this.#asking.get(name) === asking) this.#asking.delete(name)
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
      const known = this.#find(nameOf(repository, `${kind} ${id}`))
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
      if (known !== undefined) found.set(id, known.value as Value)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    this.#misses += missing.length
    for (const [id, value] of await ask(missing)) {
      found.set(id, value)
      this.#keep(repository.id, nameOf(repository, `${kind} ${id}`), value, bytes(value))
    }
    return found
  }

  /** Keeps an answer that is known without asking git. */
  tell<Value>(
    repository: { readonly id: number },
    key: string,
    value: Value,
    { bytes }: Keeping<Value>,
  ): void {
    if (key.length <= MAX_KEY) this.#keep(repository.id, nameOf(repository, key), value, bytes(value))
  }

  #find(name: string): Answer | undefined {
    const answer = this.#answers.get(name)
    if (answer === undefined) return undefined
    this.#hits += 1
    for (const share of answer.shares) share.use(answer)
    return answer
  }

  #keep(repository: number, name: string, value: unknown, size: number | undefined): void {
    if (size === undefined || size > MAX_ANSWER) return
    const known = this.#answers.get(name)
    if (known !== undefined) this.#remove(known)
    const caller = currentCaller()
    const shares = [
      this.#all,
      shareIn(this.#repositories, repository, MAX_OF_REPOSITORY),
      ...(caller === undefined ? [] : [shareIn(this.#callers, caller, MAX_OF_CALLER)]),
    ]
    const answer = { name, value, bytes: size + 2 * name.length + OVERHEAD, shares }
    this.#answers.set(name, answer)
    for (const share of shares) share.add(answer)
    // The shares of one caller or repository first, so that who asks much makes room for it themselves.
    for (const share of shares.toReversed()) {
      for (const oldest of share.tooMany()) this.#remove(oldest)
    }
  }

  #remove(answer: Answer): void {
    this.#answers.delete(answer.name)
    for (const share of answer.shares) share.remove(answer)
  }
}

const nameOf = ({ id }: { readonly id: number }, key: string): string => `${id} ${key}`

function shareIn<Key>(shares: Map<Key, Share>, key: Key, most: number): Share {
  const share = shares.get(key) ?? new Share(most, () => void shares.delete(key))
  shares.set(key, share)
  return share
}
