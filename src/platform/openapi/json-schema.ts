import type { Rules } from '#platform/http/schema.ts'

/** What TypeBox and the constructors of platform/http/schema.ts produce, as plain data. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly deprecated?: boolean
  readonly default?: unknown
  readonly const?: unknown
  readonly enum?: readonly (string | number | null)[]
  readonly format?: string
  /** The media type of an answer that is not JSON. */
  readonly contentMediaType?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly propertyNames?: { readonly maxLength?: number }
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly required?: readonly string[] | undefined
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly additionalProperties?: JsonSchema | boolean
  readonly patternProperties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly anyOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly 'x-comma'?: boolean
  readonly 'x-words'?: readonly string[]
  readonly 'x-old-null'?: boolean
  readonly 'x-after'?: string
  readonly 'x-any-case'?: boolean
  readonly 'x-rules'?: Rules
}

/** A schema without the keys that TypeBox adds to JSON Schema. */
export function plain(schema: unknown): JsonSchema {
  const copy: JsonSchema = JSON.parse(JSON.stringify(schema))
  return copy
}

export function typesOf({ type }: JsonSchema): readonly string[] {
  return typeof type === 'string' ? [type] : (type ?? [])
}

export const isArray = (schema: JsonSchema) => typesOf(schema).includes('array')
export const isObject = (schema: JsonSchema) => typesOf(schema).includes('object')
export const isFile = (schema: JsonSchema) => schema.format === 'binary'

/** The properties of an object, and whether each is required: those with a default are not. */
export function parametersOf(schema: JsonSchema): { name: string; schema: JsonSchema; required: boolean }[] {
  return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
    name,
    schema: property,
    required: (schema.required?.includes(name) ?? false) && property.default === undefined,
  }))
}

/** Joins sentences; undefined when there are none. */
export function sentences(...parts: readonly (string | undefined)[]): string | undefined {
  const text = parts.filter((part) => part !== undefined && part !== '').join(' ')
  return text === '' ? undefined : text
}
