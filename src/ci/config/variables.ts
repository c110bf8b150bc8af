import { isList, isMapping, isScalar, isText, type Value } from './values.ts'

/** A variable as a file has it. */
export interface ConfiguredVariable {
  readonly value: string
  /** Refers to no other variables (`expand: false`). */
  readonly raw: boolean
  readonly description?: string
  readonly options?: readonly string[]
}

export type Variables = ReadonlyMap<string, ConfiguredVariable>

/**
 * Reads variables of the top level, of a job or of a rule.
 * @param keys what a variable may have besides its value
 */
export function readVariables(
  value: Value | undefined,
  path: string,
  say: (path: string, text: string) => void,
  keys: readonly string[] = ['value', 'expand'],
): Variables {
  const read = new Map<string, ConfiguredVariable>()
  if (value === undefined || value === null) return read
  if (!isMapping(value)) {
    say(path, 'config should be a hash of key value pairs')
    return read
  }
  for (const [key, held] of value) {
    const one = readVariable(held, `${path}:${key}`, say, keys)
    if (one !== undefined) read.set(key, one)
  }
  return read
}

function readVariable(
  held: Value,
  path: string,
  say: (path: string, text: string) => void,
  keys: readonly string[],
): ConfiguredVariable | undefined {
  if (held === null) return { value: '', raw: false }
  if (isScalar(held)) return { value: String(held), raw: false }
  if (!isMapping(held)) {
    say(path, 'config must be either a string or a hash')
    return undefined
  }
  const unknown = [...held.keys()].filter((key) => !keys.includes(key))
  if (unknown.length > 0) say(path, `config uses invalid data keys: ${unknown.join(', ')}`)
  const value = held.get('value') ?? ''
  const options = held.get('options')
  const expand = held.get('expand') ?? true
  const description = held.get('description')
  if (!isScalar(value)) say(path, 'config value must be an alphanumeric string')
  if (typeof expand !== 'boolean') say(path, 'config expand should be a boolean value')
  if (options !== undefined && !(isList(options) && options.every(isScalar))) {
    say(path, 'config options must be an array of strings')
  }
  const offered = isList(options) ? options.map(String) : undefined
  const text = String(isScalar(value) ? value : '')
  if (offered !== undefined && !offered.includes(text)) {
    say(path, 'config value must be present in options')
  }
  return {
    value: text,
    raw: expand === false,
    ...(isText(description) ? { description } : {}),
    ...(offered ? { options: offered } : {}),
  }
}
