import type { FastifySchema } from 'fastify'
import { greatest } from '#platform/sequences.ts'
import type { BodyKind } from './body-kind.ts'
import type { ParameterSchema } from './parameter-schema.ts'

/** Bytes of parameters in the body of a GET, and of a request whose sender is still unknown. */
export const SMALL_BODY = 64 * 1024
/** The most bytes of parameters, whatever a schema allows. */
const MAX_PARAMETER_BYTES = 16 * 1024 * 1024

/** One character as `\uD83D\uDE00` in JSON, or as `%F0%9F%98%80` in a form. */
const PER_CHARACTER = 12
/** The punctuation around a value, or the head of its part in a multipart body, without its name. */
const PER_VALUE = 256
/** A number, a flag, a date or a time, with quotation marks. */
const PER_SCALAR = 40 * PER_CHARACTER

/** The maximum where a schema names none. */
const UNSAID = { characters: 10_000, items: 100 }
/** The minimum limit for a file in bytes, so that a slightly too large file is refused by name and not as a body. */
const FILE = 8 * 1024 * 1024

/** A schema with the maximums that lists and hashes may have. */
type Bounded = ParameterSchema & { readonly maxItems?: number; readonly maxProperties?: number }

/**
 * The number of bytes that a route reads of a body: what its schema allows at most, within bounds. Every legal value
 * fits, however it is written.
 */
export function bodyLimit(method: string, kind: BodyKind, schema: FastifySchema): number {
  if (kind.as === 'raw') return kind.maxBytes
  // A stream has no limit of its own. This value is for Fastify, which requires a number.
  if (kind.as === 'stream') return Number.MAX_SAFE_INTEGER
  if (method === 'GET') return SMALL_BODY
  if (kind.maxBytes !== undefined) return kind.maxBytes
  const most = largest(schema.body ?? schema.querystring ?? {}, '')
  return Math.min(MAX_PARAMETER_BYTES, Math.max(SMALL_BODY, most))
}

/** The most bytes of a value, with its name as in a form. */
function largest(schema: Bounded, name: string): number {
  const own = PER_VALUE + name.length * PER_CHARACTER
  const types = [schema.type ?? []].flat()
  const inside = (key: string) => (name === '' ? key : `${name}[${key}]`)
  if (schema.format === 'binary') return own + Math.max(FILE, schema.maxLength ?? 0)
  if (types.includes('array')) {
    return own + (schema.maxItems ?? UNSAID.items) * largest(schema.items ?? {}, inside(''))
  }
  if (types.includes('object')) {
    const properties = Object.entries(schema.properties ?? {}).map(([key, one]) => largest(one, inside(key)))
    const [any] = Object.values(schema.patternProperties ?? {})
    const anyKey = any === undefined ? 0 : largest(any, inside('x'.repeat(255)))
    return own + sum(properties) + (schema.maxProperties ?? UNSAID.items) * anyKey
  }
  if (schema.enum)
    return (
      own +
      greatest(
        0,
        schema.enum.map((one) => String(one).length),
      ) *
        PER_CHARACTER
    )
  if (types.includes('string') && schema.format === undefined) {
    return own + (schema.maxLength ?? UNSAID.characters) * PER_CHARACTER
  }
  return own + PER_SCALAR
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
