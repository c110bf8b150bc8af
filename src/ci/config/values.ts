/** A `!reference [job, key]` that was not looked up yet. */
export class Reference {
  readonly path: readonly string[]

  constructor(path: readonly string[]) {
    this.path = path
  }
}

/**
 * What YAML texts hold. Mappings are maps, because objects would move keys that look like numbers to the front. Aliases
 * share their values: nothing may change one.
 */
export type Value = null | boolean | number | string | Reference | readonly Value[] | Mapping
export type Mapping = ReadonlyMap<string, Value>

/** The same as JSON has it. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export const isMapping = (value: Value | undefined): value is Mapping => value instanceof Map
export const isList = (value: Value | undefined): value is readonly Value[] => Array.isArray(value)
export const isText = (value: Value | undefined): value is string => typeof value === 'string'
export const isScalar = (value: Value | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
export const isAbsent = (value: Value | undefined): value is null | undefined =>
  value === null || value === undefined

/** Merges mappings key by key, at every depth. Of anything else the second one counts, also a null. */
export function deepMerge(below: Mapping, above: Mapping): Mapping {
  const merged = new Map(below)
  for (const [key, value] of above) {
    const other = merged.get(key)
    merged.set(key, isMapping(value) && isMapping(other) ? deepMerge(other, value) : value)
  }
  return merged
}

export function toJson(value: Value): Json {
  if (isMapping(value)) {
    return Object.fromEntries([...value].map(([key, held]): [string, Json] => [key, toJson(held)]))
  }
  if (isList(value)) return value.map(toJson)
  return value instanceof Reference ? [...value.path] : value
}

/** All elements of lists in lists, in their order. */
export function flatten(value: readonly Value[], depth = 10): Value[] | undefined {
  if (depth < 0) return undefined
  const flat: Value[] = []
  for (const element of value) {
    if (!isList(element)) flat.push(element)
    else {
      const inner = flatten(element, depth - 1)
      if (inner === undefined) return undefined
      for (const one of inner) flat.push(one)
    }
  }
  return flat
}

/** A text or a list of texts as a list; undefined for anything else. */
export function textsOf(value: Value | undefined): string[] | undefined {
  if (isText(value)) return [value]
  const flat = isList(value) ? flatten(value) : undefined
  return flat?.every(isText) === true ? flat.filter(isText) : undefined
}
