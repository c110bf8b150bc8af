/** What a feature adds to an extension point, once the program installs the feature. */
export interface Extension {
  install(): void
}

/** Whether the program has installed its features, so that the extension points are complete. */
let installed = false

/** @internal Called once by {@link installFeatures}. */
export function closeExtensionPoints(): void {
  installed = true
}

/**
 * A list that features fill. Through it a lower district asks what only the districts above it know. Its owner
 * declares it, a feature adds to it in its `index.ts`, and the owner reads it.
 */
export class ExtensionPoint<Entry> {
  readonly #name: string
  #entries: readonly Entry[] = []

  /** @param name what an error calls it */
  constructor(name: string) {
    this.#name = name
  }

  /** For the `extensions` of a feature. */
  with(entry: Entry): Extension {
    return { install: () => void this.add(entry) }
  }

  /** @returns an object that removes the entry again, for tests that bring a feature of their own. */
  add(entry: Entry): Disposable {
    this.#entries = [...this.#entries, entry]
    return {
      [Symbol.dispose]: () => {
        this.#entries = this.#entries.filter((one) => one !== entry)
      },
    }
  }

  /**
   * What the features have added, in order.
   * @throws before the features are installed: a list that is read too early would silently lack entries.
   */
  get entries(): readonly Entry[] {
    if (!installed) throw new Error(`${this.#name} is read before app.ts has installed the features`)
    return this.#entries
  }

  /** Something made of all entries: when it is first asked for, and again only if entries have changed. */
  derive<Value>(make: (entries: readonly Entry[]) => Value): () => Value {
    let made: { readonly of: readonly Entry[]; readonly value: Value } | undefined
    return () => {
      const { entries } = this
      if (made?.of !== entries) made = { of: entries, value: make(entries) }
      return made.value
    }
  }
}
