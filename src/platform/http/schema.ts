import type { Readable } from 'node:stream'
import { type Static, type TProperties, type TSchema, Type, type TUnsafe } from 'typebox'

/**
 * The kinds of values that travel: each is a TypeBox schema, so that the parameter reader (parameters.ts), the
 * serializer, the TypeScript type and the OpenAPI document agree. Constructors are used for parameters and for
 * entities alike.
 */

/** A schema that also takes null. A `type` list, not `anyOf`: the serializer then needs no look-ups. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type } = schema as { type?: string }
  return Type.Unsafe<Static<T> | null>({ ...schema, type: [type, 'null'] })
}

/** An id or a count, or any whole number within JavaScript's safe range. */
export const integer = (
  options: { minimum?: number; maximum?: number; description?: string; deprecated?: true } = {},
) => Type.Integer(options)

/** A whole number or, whatever the case of their letters, one of some words instead. */
export const integerOr = <const W extends string>(
  words: readonly W[],
  options: { minimum?: number; maximum?: number; description?: string } = {},
) => Type.Unsafe<number | W>({ type: 'integer', 'x-words': words, ...options })

/** The largest value of a PostgreSQL `integer` column. */
export const MAX_INT4 = 2_147_483_647

export const count = (options: { description?: string } = {}) =>
  Type.Integer({ minimum: 0, maximum: MAX_INT4, ...options })

/** Characters of a text, and of a key of a hash, unless its schema says otherwise. */
const MAX_TEXT = 255
/** Elements of a list and keys of a hash, unless its schema says otherwise. */
const MAX_ITEMS = 100
/** Characters of a full path: as many as the router passes on. */
export const MAX_PATH = 8_192

/** Text of at most `max` characters, 255 unless said; `filled` refuses blank ones. */
export const text = (
  options: { max?: number; filled?: boolean; description?: string; deprecated?: boolean } = {},
) => {
  const { max = MAX_TEXT, filled, ...rest } = options
  return Type.String({ ...rest, maxLength: max, ...(filled ? { minLength: 1 } : {}) })
}

export const flag = (options: { default?: boolean; description?: string } = {}) => Type.Boolean(options)

/** One of a closed set of words. */
export const oneOf = <const T extends string>(values: readonly T[], options: { description?: string } = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...options })

/** One of a closed set of numbers, as access levels are. */
export const oneOfNumbers = <const T extends number>(
  values: readonly T[],
  options: { description?: string; deprecated?: true } = {},
) => Type.Unsafe<T>({ type: 'integer', enum: values, ...options })

/**
 * A date and time; on the wire UTC with milliseconds and `Z`, accepted also as a date or with an offset. `after` is a
 * day: the start of it and what was before are refused.
 */
export const moment = ({ after, ...options }: { description?: string; after?: string } = {}) =>
  Type.String({ format: 'date-time', ...(after === undefined ? {} : { 'x-after': after }), ...options })

/** A date without time: `YYYY-MM-DD`. */
export const day = (options: { description?: string } = {}) => Type.String({ format: 'date', ...options })

/** An integer id or a name, as in `:id` of projects and groups (there a path, once decoded). */
export const idOrPath = ({ max = MAX_PATH, ...rest }: { max?: number; description?: string } = {}) =>
  Type.Unsafe<string>({ type: ['string', 'integer'], maxLength: max, ...rest })

/**
 * A list of at most `max` elements, 100 unless said. With `comma`, commas separate elements, too: some clients send
 * one string for the whole list, or several names in one element.
 */
export const list = <T extends TSchema>(
  of: T,
  options: { max?: number; comma?: boolean; description?: string; deprecated?: boolean } = {},
) => {
  const { max = MAX_ITEMS, comma, ...rest } = options
  return Type.Array(of, { ...rest, maxItems: max, ...(comma ? { 'x-comma': true } : {}) })
}

/** An uploaded file of a multipart body. */
export interface UploadedFile {
  readonly filename: string
  readonly mediaType: string
  readonly data: Buffer
}

/** An uploaded file of at most `max` bytes. */
export const file = ({ max, ...rest }: { max: number; description?: string }) =>
  Type.Unsafe<UploadedFile>({ type: 'string', format: 'binary', maxLength: max, ...rest })

/** A nested record of any keys, as `custom_attributes[key]` is: at most `max` of them, 100 unless said. */
export const hash = <T extends TSchema>(
  of: T,
  { max = MAX_ITEMS, ...rest }: { max?: number; description?: string } = {},
) => Type.Record(Type.String(), of, { maxProperties: max, propertyNames: { maxLength: MAX_TEXT }, ...rest })

/** Conditions on several parameters at once; see parameters.ts for the texts. */
export interface Rules {
  readonly atLeastOneOf?: readonly string[]
  readonly exactlyOneOf?: readonly string[]
  readonly allOrNoneOf?: readonly string[]
  readonly mutuallyExclusive?: readonly string[]
  /** A parameter, with the ones that cannot be given beside it. */
  readonly excludes?: Readonly<Record<string, readonly string[]>>
  /** A parameter that says nothing without another. */
  readonly needs?: Readonly<Record<string, string>>
}

/** Options for an object of parameters that must meet {@link Rules} beside its properties' own. */
export const rules = (conditions: Rules) => ({ 'x-rules': conditions })

/** The path parameter of a project or group. */
export const ById = Type.Object({ id: idOrPath({ description: 'The id or the URL-encoded path.' }) })

/** The body that says only what happened. */
export const Message = Type.Object({ message: Type.String() }, { title: 'Message' })

/** What routes answer that send a picture as a stream: all of it, a part, or where it is. */
const picture = { type: 'string', format: 'binary', contentMediaType: 'image/*' } as const
export const pictureAnswers = {
  200: Type.Unsafe<Readable>(picture),
  206: Type.Unsafe<Readable>({ ...picture, description: 'The part that `Range` asks for.' }),
  302: Type.Unsafe<undefined>({ type: 'null', description: 'The bytes are at the URL in `Location`.' }),
  416: Type.Object(
    { message: Type.String() },
    { title: 'Message', description: 'The picture ends before the range begins.' },
  ),
}

/** An answer without a body. */
export const NoContent = Type.Unsafe<undefined>({ type: 'null', description: 'No body' })

/** What the API shows of a resource. The name is what the OpenAPI document and clients made from it call it. */
export const entity = <T extends TProperties>(name: string, properties: T) =>
  Type.Object(properties, { title: name })
