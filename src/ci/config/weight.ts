import { ConfigurationError } from './problems.ts'
import { isList, isMapping, isText, type Value } from './values.ts'

/** Values that a configuration may have once everything is written out, and characters of them. */
export const MOST_VALUES = 500_000
export const MOST_CHARACTERS = 20 * 1024 * 1024

/**
 * Counts what values would be if nothing were shared. What is shared is looked at once, so that a bomb of aliases,
 * bases or references is found as fast as an honest file is read.
 */
export class Scales {
  readonly #known = new WeakMap<object, readonly [values: number, characters: number]>()
  #values = 0
  #characters = 0

  /** @throws {ConfigurationError} if all together are too much */
  add(value: Value): void {
    const [values, characters] = this.#weigh(value)
    this.#values += values
    this.#characters += characters
    if (this.#values > MOST_VALUES || this.#characters > MOST_CHARACTERS) throw tooBig()
  }

  #weigh(value: Value): readonly [number, number] {
    if (isText(value)) return [1, value.length]
    if (typeof value !== 'object' || value === null) return [1, 0]
    const known = this.#known.get(value)
    if (known !== undefined) return known
    let [values, characters] = [1, 0]
    const held = isMapping(value) ? value.values() : isList(value) ? value : []
    for (const one of held) {
      const [more, longer] = this.#weigh(one)
      values += more
      characters += longer
    }
    if (isMapping(value)) for (const key of value.keys()) characters += key.length
    const weight = [values, characters] as const
    this.#known.set(value, weight)
    return weight
  }
}

export const tooBig = (file?: string): ConfigurationError =>
  new ConfigurationError('The parsed YAML is too big', { file })
