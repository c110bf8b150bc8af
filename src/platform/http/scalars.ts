import type { ParameterSchema } from './parameter-schema.ts'
import { readDay, readMoment } from './time.ts'

/** Reads single values of parameters: texts, numbers, dates, files. Each returns the value or refuses it with a sentence. */

/** Marks a value that could not be read; its problem is in the list. */
export const REFUSED = Symbol('refused')

/** Records what is wrong with a value: `is invalid`. */
export type Refuse = (text: string) => typeof REFUSED

/** Longer than any date, number or word, even with surrounding spaces. */
const MAX_SCALAR = 64

export const INVALID = 'is invalid'
const NOT_ALLOWED = 'does not have a valid value'

export function readInteger(schema: ParameterSchema, given: unknown, refuse: Refuse): unknown {
  if (typeof given === 'string' && given.length > MAX_SCALAR) return refuse(INVALID)
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

export function readBoolean(given: unknown, refuse: Refuse): unknown {
  if (TRUE.has(given)) return true
  return FALSE.has(given) ? false : refuse(INVALID)
}

export function readString(schema: ParameterSchema, given: unknown, refuse: Refuse): unknown {
  const scalar = typeof given === 'number' || typeof given === 'boolean' ? String(given) : given
  // PostgreSQL cannot hold NUL in text, and nothing that people write contains it.
  if (typeof scalar !== 'string' || scalar.includes('\0')) return refuse(INVALID)
  if (schema.format !== undefined && scalar.length > MAX_SCALAR) return refuse(INVALID)
  if (schema.format === 'date') return readDay(scalar) ?? refuse(INVALID)
  if (schema.format === 'date-time') return readMomentAfter(schema['x-after'], scalar, refuse)
  if (schema.enum) return schema.enum.find((word) => isWord(schema, word, scalar)) ?? refuse(NOT_ALLOWED)
  if (schema.maxLength !== undefined && longerThan(scalar, schema.maxLength)) {
    return refuse(`is too long (maximum is ${schema.maxLength} characters)`)
  }
  if (schema.minLength !== undefined && scalar.trim() === '') return refuse('is empty')
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(scalar)) {
    return refuse(`must match pattern "${schema.pattern}"`)
  }
  return scalar
}

const isWord = (schema: ParameterSchema, word: unknown, given: string): boolean =>
  word === given ||
  (schema['x-any-case'] === true && typeof word === 'string' && word.toLowerCase() === given.toLowerCase())

function readMomentAfter(after: string | undefined, given: string, refuse: Refuse): unknown {
  const moment = readMoment(given)
  if (moment === undefined) return refuse(INVALID)
  // In UTC and one form, so that moments sort as text.
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

export function readFile({ maxLength = Infinity }: ParameterSchema, given: unknown, refuse: Refuse): unknown {
  if (!isFile(given)) return refuse(INVALID)
  if (given.data.length > maxLength) return refuse(`is too big (maximum is ${maxLength / 1024} KB)`)
  return given
}

/** A file that a multipart body brought: nothing else has bytes. */
export function isFile(given: unknown): given is { data: Buffer } {
  return typeof given === 'object' && given !== null && 'data' in given && Buffer.isBuffer(given.data)
}

/** Browsers send this for a form in which no file was chosen; some clients send a blank text instead of a file. */
export const isBlankFile = (given: unknown): boolean => isFile(given) && given.data.length === 0
