/** A variable before what it refers to is written into it. */
export interface UnresolvedVariable {
  readonly key: string
  readonly value: string
  /** Refers to nothing: a dollar sign is one. */
  readonly raw: boolean
  /** Jobs get a file with the value, and the variable has its path: others that refer to it are for the runner to resolve. */
  readonly file: boolean
}

/** A value as a runner gets it. */
export interface Resolved {
  readonly value: string
  /** Whether nothing is left in it that the runner knows better. */
  readonly raw: boolean
}

const REFERENCE = /\$\$|\$(?:([a-zA-Z_]\w*)|\{([a-zA-Z_]\w*)\})|%([a-zA-Z_]\w*)%/g

/** Characters of one value, and of all that one job has: values that refer to each other may grow without end. */
const MOST_OF_ONE = 100_000
const MOST_OF_ALL = 4_000_000

/**
 * Writes into values what they refer to, each once. Variables that only the runner knows, such as the folder it works in, stay as they are
 * written, and so does what goes in a circle: the value is not `raw` then.
 */
export class VariableResolver {
  readonly #variables: ReadonlyMap<string, UnresolvedVariable>
  readonly #known = new Map<string, Resolved>()
  readonly #open = new Set<string>()
  #left = MOST_OF_ALL

  constructor(variables: ReadonlyMap<string, UnresolvedVariable>) {
    this.#variables = variables
  }

  /** The value of a variable; undefined where there is none. */
  valueOf(key: string): Resolved | undefined {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const variable = this.#variables.get(key)
    if (variable === undefined) return undefined
    if (variable.raw) return { value: variable.value, raw: true }
    this.#open.add(key)
    const resolved = this.text(variable.value)
    this.#open.delete(key)
    this.#known.set(key, resolved)
    return resolved
  }

  /** A text with the values that it refers to. */
  text(text: string): Resolved {
    if (!text.includes('$') && !text.includes('%')) return { value: text, raw: true }
    const parts: { readonly text: string; readonly kind: 'written' | 'value' | 'left' }[] = []
    let from = 0
    let length = 0
    for (const found of text.matchAll(REFERENCE)) {
      const [all, a, b, c] = found
      const name = a ?? b ?? c
      if (name === undefined) continue
      const inner = this.#insertable(name)
      length += inner?.value.length ?? all.length
      if (length > Math.min(MOST_OF_ONE, this.#left)) return { value: text, raw: false }
      parts.push({ text: text.slice(from, found.index), kind: 'written' })
      parts.push(
        inner === undefined
          ? { text: all, kind: 'left' }
          : { text: inner.value, kind: inner.raw ? 'value' : 'left' },
      )
      from = found.index + all.length
    }
    this.#left -= length
    parts.push({ text: text.slice(from), kind: 'written' })
    const raw = parts.every(({ kind }) => kind !== 'left')
    const value = parts
      .map((part) => {
        if (part.kind === 'left') return part.text
        // A runner that resolves the rest makes one sign of two.
        if (part.kind === 'value') return raw ? part.text : part.text.replaceAll('$', '$$$$')
        return raw ? part.text.replaceAll('$$', '$') : part.text
      })
      .join('')
    return { value, raw }
  }

  /** The value to write in the place of a name; undefined where the name stays. */
  #insertable(name: string): Resolved | undefined {
    if (this.#open.has(name) || this.#variables.get(name)?.file === true) return undefined
    return this.valueOf(name)
  }
}
