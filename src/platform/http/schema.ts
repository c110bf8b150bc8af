import type { Readable } from 'node:stream'
import { type Static, type TProperties, type TSchema, Type, type TUnsafe } from 'typebox'

/**
 * The kinds of values on the wire. Each is a TypeBox schema, so that the parameter reader (parameters.ts), the
 * TypeScript type and the OpenAPI document agree; tests compare what is written with it. Parameters and entities use the same constructors.
 */

/** A schema that also accepts null. It uses a `type` list, not `anyOf`, so that the parameter reader sees one schema. */
export function nullable<T extends TSchema>(schema: T): TUnsafe<Static<T> | null> {
  const { type, enum: words } = schema as { type?: string; enum?: readonly unknown[] }
  return Type.Unsafe<Static<T> | null>({
    ...schema,
    type: [type, 'null'],
    ...(words && { enum: [...words, null] }),
  })
}

/** The same where null is only still accepted. */
export const oldNullable = <T extends TSchema>(schema: T) =>
  Type.Unsafe<Static<T> | null>({ ...nullable(schema), 'x-old-null': true })

/** An id, a count, or any other whole number within JavaScript's safe range. */
export const integer = (
  options: { minimum?: number; maximum?: number; description?: string; deprecated?: true } = {},
) => Type.Integer(options)

/** A whole number or, ignoring case, one of some words. */
export const integerOr = <const W extends string>(
  words: readonly W[],
  options: { minimum?: number; maximum?: number; description?: string } = {},
) => Type.Unsafe<number | W>({ type: 'integer', 'x-words': words, ...options })

/** The largest value of a PostgreSQL `integer` column. */
export const MAX_INT4 = 2_147_483_647

export const count = (options: { description?: string } = {}) =>
  Type.Integer({ minimum: 0, maximum: MAX_INT4, ...options })

/** The default maximum of characters in a text, and in a key of a hash. */
const MAX_TEXT = 255
/** The default maximum of elements in a list, and of keys in a hash. */
const MAX_ITEMS = 100
/** The maximum length of a full path in characters, as the router's. */
export const MAX_PATH = 8_192

/** Text of at most `max` characters, by default 255; `filled` refuses blank ones. */
export const text = (
  options: { max?: number; filled?: boolean; description?: string; deprecated?: boolean } = {},
) => {
  const { max = MAX_TEXT, filled, ...rest } = options
  return Type.String({ ...rest, maxLength: max, ...(filled ? { minLength: 1 } : {}) })
}

/** A text in a path or a query that no log may show. */
export const secret = ({ max }: { max: number }) => Type.String({ maxLength: max, 'x-secret': true })

export const flag = (options: { default?: boolean; description?: string; deprecated?: true } = {}) =>
  Type.Boolean(options)

/** One of a closed set of words. */
export const oneOf = <const T extends string>(values: readonly T[], options: { description?: string } = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: values, ...options })

/** One of a closed set of words, whatever their case: `none` is `None`. */
export const wordOf = <const T extends string>(
  values: readonly T[],
  options: { description?: string } = {},
) => Type.Unsafe<T>({ ...oneOf(values, options), 'x-any-case': true })

/** One of a closed set of numbers, such as access levels. */
export const oneOfNumbers = <const T extends number>(
  values: readonly T[],
  options: { description?: string; deprecated?: true } = {},
) => Type.Unsafe<T>({ type: 'integer', enum: values, ...options })

/**
 * A date and time. Answers use UTC with milliseconds and `Z`; requests may also send a date alone or an offset.
 * `after` is a day: its start and everything earlier are refused.
 */
export const moment = ({ after, ...options }: { description?: string; after?: string } = {}) =>
  Type.String({ format: 'date-time', ...(after === undefined ? {} : { 'x-after': after }), ...options })

/** A date without time: `YYYY-MM-DD`. */
export const day = (options: { description?: string } = {}) => Type.String({ format: 'date', ...options })

/** An integer id or a name, as in `:id` of projects and groups (there a path, once decoded). */
export const idOrPath = ({ max = MAX_PATH, ...rest }: { max?: number; description?: string } = {}) =>
  Type.Unsafe<string>({ type: ['string', 'integer'], maxLength: max, ...rest })

/**
 * A list of at most `max` elements, by default 100. With `comma`, commas separate elements, too: some clients send
 * one string for the whole list, or several names in one element.
 */
export const list = <T extends TSchema>(
  of: T,
  options: { max?: number; comma?: boolean; description?: string; deprecated?: boolean } = {},
) => {
  const { max = MAX_ITEMS, comma, ...rest } = options
  return Type.Array(of, { ...rest, maxItems: max, ...(comma ? { 'x-comma': true } : {}) })
}

/** The same for what a resource has several of: null empties it, as a blank text does. */
export const emptiable = <T extends TSchema>(of: T, options: { max?: number; description?: string } = {}) =>
  Type.Unsafe<Static<T>[]>({ ...list(of, { ...options, comma: true }), type: ['array', 'null'] })

/** An uploaded file of a multipart body. */
export interface UploadedFile {
  readonly filename: string
  readonly mediaType: string
  readonly data: Buffer
}

/** An uploaded file of at most `max` bytes. */
export const file = ({ max, ...rest }: { max: number; description?: string }) =>
  Type.Unsafe<UploadedFile>({ type: 'string', format: 'binary', maxLength: max, ...rest })

/** A nested record with arbitrary keys, such as `custom_attributes[key]`: at most `max` of them, by default 100. */
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
  /** A parameter, and those that may not be combined with it. */
  readonly excludes?: Readonly<Record<string, readonly string[]>>
  /** A parameter that requires another. */
  readonly needs?: Readonly<Record<string, string>>
}

/** Options for an object of parameters that must meet {@link Rules} besides its properties' own. */
export const rules = (conditions: Rules) => ({ 'x-rules': conditions })

/** The path parameter of a project or group. */
export const ById = Type.Object({ id: idOrPath({ description: 'The id or the URL-encoded path.' }) })

/** A body with only a message. */
export const Message = Type.Object({ message: Type.String() }, { title: 'Message' })

/** The answers of routes that send a file of this media type: all of it, the part that was asked for, or where it is. */
export function fileAnswers(contentMediaType: string) {
  const bytes = { type: 'string', format: 'binary', contentMediaType }
  return {
    200: Type.Unsafe<Readable | undefined>(bytes),
    206: Type.Unsafe<Readable | undefined>({ ...bytes, description: 'The part that `Range` asks for.' }),
    304: Type.Unsafe<undefined>({ type: 'null', description: 'The caller has it: see `If-None-Match`.' }),
    302: Type.Unsafe<undefined>({ type: 'null', description: 'The bytes are at the URL in `Location`.' }),
    416: Type.Object(
      { message: Type.String() },
      { title: 'Message', description: 'The file ends before the range begins.' },
    ),
  }
}
export const pictureAnswers = fileAnswers('image/*')

/** An answer without a body. */
export const NoContent = Type.Unsafe<undefined>({ type: 'null', description: 'No body' })

/** What the API shows of a resource. The OpenAPI document, and clients made from it, use the name. */
export const entity = <T extends TProperties>(name: string, properties: T) =>
  Type.Object(properties, { title: name })
