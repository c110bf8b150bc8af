import { ConfigurationError } from './problems.ts'
import { tooBig } from './weight.ts'
import { isList, isMapping, Reference, type Mapping, type Value } from './values.ts'

const MOST_LEVELS = 10
/** References that a configuration may follow, with those within what they refer to. */
const MOST_FOLLOWED = 100_000

/**
 * Puts in the place of each `!reference` what it refers to.
 * @throws {ConfigurationError} for what is not there, goes in a circle or too deep
 */
export function resolveReferences(content: Mapping): Mapping {
  const resolved = new Map<Value, Value>()
  let followed = 0

  const follow = (reference: Reference, above: readonly string[]): Value => {
    const name = `!reference ${JSON.stringify(reference.path).replaceAll('","', '", "')}`
    if (above.includes(name)) throw new ConfigurationError(`${name} is part of a circular chain`)
    if (above.length >= MOST_LEVELS) throw new ConfigurationError(`${name} is nested too deep`)
    followed += 1
    if (followed > MOST_FOLLOWED) throw tooBig()
    let value: Value | undefined = content
    for (const part of reference.path) {
      if (value instanceof Reference) value = follow(value, [...above, name])
      value = isMapping(value) ? value.get(part) : undefined
    }
    if (value === undefined) throw new ConfigurationError(`${name} could not be found`)
    return resolve(value, [...above, name])
  }

  const resolve = (value: Value, above: readonly string[]): Value => {
    if (value instanceof Reference) return follow(value, above)
    if (!isMapping(value) && !isList(value)) return value
    const known = resolved.get(value)
    if (known !== undefined) return known
    const made: Value = isMapping(value)
      ? new Map([...value].map(([key, held]): [string, Value] => [key, resolve(held, above)]))
      : value.map((held) => resolve(held, above))
    resolved.set(value, made)
    return made
  }

  return new Map([...content].map(([key, value]): [string, Value] => [key, resolve(value, [])]))
}
