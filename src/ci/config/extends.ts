import { ConfigurationError, type Problems } from './problems.ts'
import { Scales } from './weight.ts'
import { deepMerge, isMapping, textsOf, type Mapping, type Value } from './values.ts'

const MOST_LEVELS = 11

/**
 * Merges into each mapping what it extends.
 * @throws {ConfigurationError} for what is not there, goes in a circle or too deep
 */
export function expandExtends(content: Mapping, problems: Problems): Mapping {
  const done = new Map<string, Mapping>()
  const scales = new Scales()
  const fail = (key: string, text: string): ConfigurationError =>
    new ConfigurationError(`${key}: ${text}`, problems.where(key, 'extends'))

  const expand = (key: string, entry: Mapping, above: readonly string[]): Mapping => {
    const known = done.get(key)
    if (known !== undefined) return known
    if (!entry.has('extends')) return entry
    if (above.includes(key)) throw fail(above[0] ?? key, 'circular dependency detected in `extends`')
    if (above.length >= MOST_LEVELS) throw fail(above[0] ?? key, 'nesting too deep in `extends`')
    const names = textsOf(entry.get('extends') ?? null)
    if (names === undefined) throw fail(key, 'invalid base hashes in `extends`')
    const unknown = names.filter((name) => !content.has(name))
    if (unknown.length > 0) throw fail(key, `unknown keys in \`extends\` (${unknown.join(', ')})`)
    let base: Mapping = new Map<string, Value>()
    for (const name of names) {
      const one = content.get(name)
      if (!isMapping(one)) throw fail(key, `invalid base hashes in \`extends\` (${name})`)
      base = deepMerge(base, expand(name, one, [...above, key]))
      scales.add(base)
    }
    const merged = deepMerge(base, entry)
    done.set(key, merged)
    return merged
  }

  return new Map(
    [...content].map(([key, value]): [string, Value] => [
      key,
      isMapping(value) ? expand(key, value, []) : value,
    ]),
  )
}
