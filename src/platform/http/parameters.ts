import type { ParameterSchema, Problem } from './parameter-schema.ts'
import { checkRules } from './rules.ts'
import {
  INVALID,
  isBlankFile,
  longerThan,
  readBoolean,
  readFile,
  readInteger,
  readString,
  type Refuse,
  REFUSED,
} from './scalars.ts'

/**
 * Reads parameters against a schema of platform/http/schema.ts. Only here do the various forms that clients send
 * ("true", 1, `a[]=`, comma lists, JSON in a string) become an exact value, or a problem that names the parameter.
 * "Conventions", item 3 of the specification; texts as real clients know them.
 */

/** The reader stops after this many problems, so that no answer is larger than its request. */
export const MAX_PROBLEMS = 10

type Values = Record<string, unknown>

/** Marks a value that counts as not given. */
const ABSENT = Symbol('absent')

/**
 * @returns the declared parameters with exact types, or the problems found, at most {@link MAX_PROBLEMS}; undeclared
 * parameters are ignored.
 */
export function readParameters(
  schema: ParameterSchema,
  input: Readonly<Values>,
): { readonly value: Values } | { readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const value = readObject(schema, input, '', problems)
  return problems.length > 0 ? { problems: problems.slice(0, MAX_PROBLEMS) } : { value }
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
    if (problems.length >= MAX_PROBLEMS) return result
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
  // An unreadable parameter still counts as given.
  if (schema['x-rules']) checkRules(schema['x-rules'], [...Object.keys(result), ...refused], problems)
  return result
}

function readValue(schema: ParameterSchema, given: unknown, name: string, problems: Problem[]): unknown {
  const types = typesOf(schema)
  // A list that accepts commas is empty when the text is.
  if (given === '' && schema['x-comma']) return []
  if (given === null && types.includes('array') && types.includes('null')) return []
  if (given === null || given === '' || isBlankFile(given)) {
    if (types.includes('null')) return null
    if (given === null || !types.includes('string') || schema.format !== undefined) return ABSENT
  }
  const refuse: Refuse = (text) => {
    problems.push({ name, text, missing: false })
    return REFUSED
  }
  if (schema.format === 'binary') return readFile(schema, given, refuse)
  if (types.includes('array')) return readArray(schema, given, name, problems)
  if (types.includes('object')) return readHash(schema, given, name, problems)
  if (types.includes('integer') && !types.includes('string')) return readInteger(schema, given, refuse)
  if (types.includes('boolean')) return readBoolean(given, refuse)
  return readString(schema, given, refuse)
}

function readArray(schema: ParameterSchema, given: unknown, name: string, problems: Problem[]): unknown {
  const { maxItems = Infinity, items: itemSchema = {} } = schema
  const items = listOf(schema, given, maxItems)
  const refuse = (text: string) => {
    problems.push({ name, text, missing: false })
    return REFUSED
  }
  if (items === undefined) return refuse(INVALID)
  if (items.length > maxItems) return refuse(`has too many elements (maximum is ${maxItems})`)
  const before = problems.length
  const read: unknown[] = []
  // Forms send an empty list as a blank element.
  for (const [index, item] of items.filter((one) => one !== '').entries()) {
    if (problems.length >= MAX_PROBLEMS) break
    const container = isObject(itemSchema) ? `${name}[${index}]` : name
    const value = readValue(itemSchema, item, container, problems)
    if (value !== ABSENT) read.push(value)
  }
  return problems.length > before ? REFUSED : read
}

/** The elements as they were given; of too many, just enough to detect it. Undefined for a value that is no list. */
function listOf(schema: ParameterSchema, given: unknown, max: number): readonly unknown[] | undefined {
  const elements = elementsOf(given)
  if (!schema['x-comma']) return elements
  if (elements !== undefined) return elements.length > max ? elements : splitAll(elements, max)
  return typeof given === 'string' || typeof given === 'number' ? splitAll([given], max) : undefined
}

function elementsOf(given: unknown): readonly unknown[] | undefined {
  if (Array.isArray(given)) return given
  if (typeof given === 'object' && given !== null) {
    return Object.keys(given).every((key) => /^\d+$/.test(key)) ? Object.values(given) : undefined
  }
  const parsed = jsonIn(given, '[')
  return Array.isArray(parsed) ? parsed : undefined
}

/** Splits elements at their commas, into at most one more than the maximum. */
function splitAll(elements: readonly unknown[], max: number): readonly unknown[] {
  const parts: unknown[] = []
  for (const element of elements) {
    if (typeof element !== 'string') parts.push(element)
    else for (const part of element.split(',', max + 1 - parts.length)) parts.push(part.trim())
    if (parts.length > max) break
  }
  return parts
}

function readHash(schema: ParameterSchema, given: unknown, name: string, problems: Problem[]): unknown {
  const refuse = (text: string) => {
    problems.push({ name, text, missing: false })
    return REFUSED
  }
  const value = typeof given === 'string' ? jsonIn(given, '{') : given
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return refuse(INVALID)
  const anyKey = Object.values(schema.patternProperties ?? {})[0]
  const before = problems.length
  if (anyKey === undefined) {
    const read = readObject(schema, Object.fromEntries(Object.entries(value)), name, problems)
    return problems.length > before ? REFUSED : read
  }
  const { maxProperties = Infinity, propertyNames: { maxLength = Infinity } = {} } = schema
  const keys = Object.keys(value)
  if (keys.length > maxProperties) return refuse(`has too many keys (maximum is ${maxProperties})`)
  if (keys.some((key) => longerThan(key, maxLength))) {
    return refuse(`has a key that is too long (maximum is ${maxLength} characters)`)
  }
  const read: [string, unknown][] = []
  for (const [key, item] of Object.entries(value)) {
    if (problems.length >= MAX_PROBLEMS) break
    read.push([key, readValue(anyKey, item, `${name}[${key}]`, problems)])
  }
  return problems.length > before ? REFUSED : Object.fromEntries(read)
}

function jsonIn(given: unknown, start: '[' | '{'): unknown {
  if (typeof given !== 'string' || !given.trimStart().startsWith(start)) return undefined
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

function typesOf(schema: ParameterSchema): readonly string[] {
  return typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
}

function isObject(schema: ParameterSchema): boolean {
  return typesOf(schema).includes('object')
}
