import { setImmediate } from 'node:timers/promises'
import { RE2JS } from 're2js'

/**
 * Instructions of a compiled expression. RE2 takes up to one step for each of them and each character, so this bounds
 * how long a text of a known length keeps everybody else waiting. What people write has some dozens.
 */
const MOST_INSTRUCTIONS = 1_000
/** Milliseconds that a piece of work keeps the event loop. */
const SLICE = 20

/** Why a regular expression of a client is not used. */
export class PatternRefused extends Error {
  override readonly name = 'PatternRefused'
}

/** A regular expression of a client, in the syntax of RE2. It takes time that grows with the text alone, never exponential time. */
export class ClientPattern {
  readonly #compiled: RE2JS

  /** @throws {PatternRefused} for what is no regular expression, and for one that is too large. */
  constructor(expression: string) {
    this.#compiled = compiled(expression)
    if (this.#compiled.programSize() > MOST_INSTRUCTIONS) {
      throw new PatternRefused('is too large: repeat less in it')
    }
  }

  /** Whether it matches some part of a text. */
  finds(text: string): boolean {
    return this.#compiled.test(text)
  }

  /** What its named groups match in a text; a group that takes no part is not there. Undefined when nothing matches. */
  groupsIn(text: string): Readonly<Record<string, string | undefined>> | undefined {
    const matcher = this.#compiled.matcher(text)
    if (!matcher.find()) return undefined
    const names = Object.keys(this.#compiled.namedGroups())
    return Object.fromEntries(names.map((name) => [name, matcher.group(name) ?? undefined]))
  }
}

function compiled(expression: string): RE2JS {
  try {
    return RE2JS.compile(expression)
  } catch {
    throw new PatternRefused('is invalid')
  }
}

/**
 * Keeps what is wanted, and lets others have their turn meanwhile.
 * @param most milliseconds that all pieces of the work may take together
 * @throws {PatternRefused} when they take longer.
 */
export async function filterInSlices<Item>(
  all: Iterable<Item>,
  isWanted: (item: Item) => boolean,
  most = Infinity,
): Promise<Item[]> {
  const found: Item[] = []
  let began = performance.now()
  let spent = 0
  for (const item of all) {
    if (isWanted(item)) found.push(item)
    const now = performance.now()
    if (now - began < SLICE) continue
    spent += now - began
    if (spent > most) throw new PatternRefused('takes too long here: use a simpler one')
    await setImmediate()
    began = performance.now()
  }
  return found
}
