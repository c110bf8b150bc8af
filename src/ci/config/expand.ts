const REFERENCE = /\$\$|%%|\$(?:([a-zA-Z_]\w*)|\{([a-zA-Z_]\w*)\})|%([a-zA-Z_]\w*)%/g
/** Characters of a value once what it refers to is written out. */
const MOST_CHARACTERS = 100_000

/** Writes values of variables into a text. `$$` and `%%` stay: what runs the job makes one sign of them. */
export const expand = (text: string, valueOf: (name: string) => string | undefined): string =>
  text.includes('$') || text.includes('%')
    ? text
        .replaceAll(REFERENCE, (all, a?: string, b?: string, c?: string) => {
          const name = a ?? b ?? c
          return name === undefined ? all : (valueOf(name) ?? '')
        })
        .slice(0, MOST_CHARACTERS)
    : text

/** Variables whose values refer to each other. A later layer wins; what goes in a circle stays as it is written. */
export class Scope {
  readonly #layers: readonly ReadonlyMap<string, ScopedValue>[]
  readonly #known = new Map<string, string>()
  readonly #open = new Set<string>()

  constructor(layers: readonly ReadonlyMap<string, ScopedValue>[]) {
    this.#layers = layers
  }

  valueOf = (name: string): string | undefined => {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    const held = this.#layers.findLast((layer) => layer.has(name))?.get(name)
    if (held === undefined) return undefined
    if (held.raw || this.#open.has(name)) return held.value
    this.#open.add(name)
    const value = expand(held.value, this.valueOf)
    this.#open.delete(name)
    if (this.#open.size === 0) this.#known.set(name, value)
    return value
  }

  expand = (text: string): string => expand(text, this.valueOf)
}

export interface ScopedValue {
  readonly value: string
  /** Refers to nothing: a dollar sign is one. */
  readonly raw: boolean
}
