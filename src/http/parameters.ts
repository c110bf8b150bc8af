import type { Rules } from './schema.ts'
import { readDay, readMoment } from './time.ts'

/**
 * Reads parameters against a schema of http/schema.ts: the one place where what clients send in their several
 * ways ("true", 1, `a[]=`, comma lists, JSON in a string) becomes an exact value, or a problem that names it.
 * "Conventions", item 3 of the specification; texts as real clients know them.
 */

/** What is wrong with one parameter. */
export interface Problem {
  readonly name: string
  /** Completes the sentence that starts with the name: `is missing`. */
  readonly text: string
  readonly missing: boolean
}

/** The parts of JSON Schema that the constructors of schema.ts produce. */
export interface ParameterSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly (string | number)[]
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly default?: unknown
  readonly items?: ParameterSchema
  readonly properties?: Readonly<Record<string, ParameterSchema>>
  readonly patternProperties?: Readonly<Record<string, ParameterSchema>>
  readonly required?: readonly string[]
  readonly 'x-comma'?: boolean
  readonly 'x-words'?: readonly string[]
  readonly 'x-after'?: string
  readonly 'x-rules'?: Rules
}

type Values = Record<string, unknown>

/** Marks a value that could not be read; its problem is in the list. */
const REFUSED = Symbol('refused')
/** Marks a value that counts as not given. */
const ABSENT = Symbol('absent')

/** @returns the declared parameters with exact types, or every problem found; undeclared ones are ignored. */
export function readParameters(
  schema: ParameterSchema,
  input: Readonly<Values>,
): { readonly value: Values } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const value = readObject(schema, input, '', problems)
  return problems.length > 0 ? { problems } : { value }
}

function readObject(
  schema: ParameterSchema,
  input: Readonly<Values>,
  prefix: string,
  problems: Problem[],
): Values {
  const result: Values = {}
  const refused: string[] = []
  const inside = (name: string) => (prefix === '' ? name : `${prefix}[${name}]`)
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const given = input[name]
    const read = given === undefined ? ABSENT : readValue(property, given, inside(name), problems)
    if (read === REFUSED) {
      refused.push(name)
      continue
    }
    if (read !== ABSENT) result[name] = read
    else if (property.default !== undefined) result[name] = property.default
    else if (schema.required?.includes(name)) {
      problems.push({ name: inside(name), text: 'is missing', missing: true })
    }
  }
  // What cannot be read was given all the same.
  if (schema['x-rules']) checkRules(schema['x-rules'], [...Object.keys(result), ...refused], problems)
  return result
}

function readValue(schema: ParameterSchema, given: unknown, name: string, problems: Problem[]): unknown {
  const types = typesOf(schema)
  // A list that may come with commas is empty when nothing stands between them.
  if (given === '' && schema['x-comma']) return []
  if (given === null || given === '' || isBlankFile(given)) {
    if (types.includes('null')) return null
    if (given === null || !types.includes('string') || schema.format !== undefined) return ABSENT
  }
  const refuse: Refuse = (text) => {
    problems.push({ name, text, missing: false })
    return REFUSED
  }
  if (schema.format === 'binary') return readFile(given, refuse)
  if (types.includes('array')) return readArray(schema, given, name, problems)
  if (types.includes('object')) return readHash(schema, given, name, problems)
  if (types.includes('integer') && !types.includes('string')) return readInteger(schema, given, refuse)
  if (types.includes('boolean')) return readBoolean(given, refuse)
  return readString(schema, given, refuse)
}

type Refuse = (text: string) => typeof REFUSED

const INVALID = 'is invalid'
const NOT_ALLOWED = 'does not have a valid value'

function readInteger(schema: ParameterSchema, given: unknown, refuse: Refuse): unknown {
  const word = wordIn(schema, given)
  if (word !== undefined) return word
  const digits = typeof given === 'string' && /^[+-]?\d{1,16}$/.test(given.trim())
  const value = digits ? Number(given) : given
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return refuse(INVALID)
  if (schema.enum && !schema.enum.includes(value)) return refuse(NOT_ALLOWED)
  const { minimum = Number.MIN_SAFE_INTEGER, maximum = Number.MAX_SAFE_INTEGER } = schema
  return value < minimum || value > maximum ? refuse(NOT_ALLOWED) : value
}

function wordIn({ 'x-words': words }: ParameterSchema, given: unknown): string | undefined {
  if (words === undefined || (typeof given !== 'string' && typeof given !== 'boolean')) return undefined
  const wanted = String(given).trim().toLowerCase()
  return words.find((word) => word.toLowerCase() === wanted)
}

const TRUE = new Set<unknown>([true, 1, 'true', '1', 't', 'T', 'TRUE', 'True'])
const FALSE = new Set<unknown>([false, 0, 'false', '0', 'f', 'F', 'FALSE', 'False'])

function readBoolean(given: unknown, refuse: Refuse): unknown {
  if (TRUE.has(given)) return true
  return FALSE.has(given) ? false : refuse(INVALID)
}

function readString(schema: ParameterSchema, given: unknown, refuse: Refuse): unknown {
  const scalar = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given
  // PostgreSQL cannot hold NUL in text, and nothing that people write contains it.
  if (typeof scalar !== 'string' || scalar.includes('\0')) return refuse(INVALID)
  if (schema.format === 'date') return readDay(scalar) ?? refuse(INVALID)
  if (schema.format === 'date-time') return readMomentAfter(schema['x-after'], scalar, refuse)
  if (schema.enum && !schema.enum.includes(scalar)) return refuse(NOT_ALLOWED)
  if (schema.minLength !== undefined && scalar.trim() === '') return refuse('is empty')
  if (schema.maxLength !== undefined && longerThan(scalar, schema.maxLength)) {
    return refuse(`is too long (maximum is ${schema.maxLength} characters)`)
  }
  return scalar
}

function readMomentAfter(after: string | undefined, given: string, refuse: Refuse): unknown {
  const moment = readMoment(given)
  if (moment === undefined) return refuse(INVALID)
  // In UTC and one form, so that they sort as text.
  return after !== undefined && moment <= `${after}T00:00:00.000Z` ? refuse(`must be after ${after}`) : moment
}

/** Counts characters, not UTF-16 units, but only when the difference could matter. */
export function longerThan(value: string, max: number): boolean {
  if (value.length <= max) return false
  if (value.length > 2 * max) return true
  let characters = 0
  for (const _ of value) characters += 1
  return characters > max
}

function readArray(schema: ParameterSchema, given: unknown, name: string, problems: Problem[]): unknown {
  const items = listOf(schema, given)
  if (items === undefined) {
    problems.push({ name, text: INVALID, missing: false })
    return REFUSED
  }
  const before = problems.length
  const itemSchema = schema.items ?? {}
  // A blank element is how forms send an empty list.
  const read = items
    .filter((item) => item !== '')
    .map((item, index) =>
      readValue(itemSchema, item, isObject(itemSchema) ? `${name}[${index}]` : name, problems),
    )
  return problems.length > before ? REFUSED : read.filter((item) => item !== ABSENT)
}

function listOf(schema: ParameterSchema, given: unknown): readonly unknown[] | undefined {
  if (Array.isArray(given)) return given
  if (typeof given === 'object' && given !== null) {
    const indexed = Object.entries(given).every(([key]) => /^\d+$/.test(key))
    return indexed ? Object.values(given) : undefined
  }
  const parsed = jsonIn(given, '[')
  if (Array.isArray(parsed)) return parsed
  if (schema['x-comma'] && (typeof given === 'string' || typeof given === 'number')) {
    return String(given)
      .split(',')
      .map((part) => part.trim())
  }
  return undefined
}

function readHash(schema: ParameterSchema, given: unknown, name: string, problems: Problem[]): unknown {
  const value = typeof given === 'string' ? jsonIn(given, '{') : given
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    problems.push({ name, text: INVALID, missing: false })
    return REFUSED
  }
  const before = problems.length
  const entries: Values = Object.fromEntries(Object.entries(value))
  const anyKey = Object.values(schema.patternProperties ?? {})[0]
  const read = anyKey
    ? Object.fromEntries(
        Object.entries(entries).map(([key, item]) => [
          key,
          readValue(anyKey, item, `${name}[${key}]`, problems),
        ]),
      )
    : readObject(schema, entries, name, problems)
  return problems.length > before ? REFUSED : read
}

function jsonIn(given: unknown, start: '[' | '{'): unknown {
  if (typeof given !== 'string' || !given.trimStart().startsWith(start)) return undefined
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

function readFile(given: unknown, refuse: Refuse): unknown {
  return isFile(given) ? given : refuse(INVALID)
}

function isFile(given: unknown): given is { data: Buffer } {
  return typeof given === 'object' && given !== null && 'data' in given && Buffer.isBuffer(given.data)
}

/** How browsers send a form in which no file was chosen, and some clients a blank text in the place of a file. */
const isBlankFile = (given: unknown): boolean => isFile(given) && given.data.length === 0

function typesOf(schema: ParameterSchema): readonly string[] {
  return typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
}

function isObject(schema: ParameterSchema): boolean {
  return typesOf(schema).includes('object')
}

function checkRules(rules: Rules, present: readonly string[], problems: Problem[]): void {
  const given = (names: readonly string[]) => names.filter((name) => present.includes(name))
  const add = (names: readonly string[], text: string, missing: boolean) =>
    problems.push({ name: names.join(', '), text, missing })
  const { atLeastOneOf, exactlyOneOf, allOrNoneOf, mutuallyExclusive, excludes = {}, needs = {} } = rules
  if (atLeastOneOf && given(atLeastOneOf).length === 0) {
    add(atLeastOneOf, 'are missing, at least one parameter must be provided', true)
  }
  if (exactlyOneOf && given(exactlyOneOf).length === 0) {
    add(exactlyOneOf, 'are missing, exactly one parameter must be provided', true)
  }
  for (const only of [exactlyOneOf, mutuallyExclusive]) {
    if (only && given(only).length > 1) add(given(only), 'are mutually exclusive', false)
  }
  for (const [name, others] of Object.entries(excludes)) {
    if (!present.includes(name)) continue
    for (const other of given(others)) add([name, other], 'are mutually exclusive', false)
  }
  if (allOrNoneOf && given(allOrNoneOf).length % allOrNoneOf.length !== 0) {
    add(allOrNoneOf, 'provide all or none of parameters', false)
  }
  for (const [name, other] of Object.entries(needs)) {
    if (present.includes(name) && !present.includes(other)) add([other], 'is missing', true)
  }
}
