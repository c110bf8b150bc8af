import { defined } from '#platform/defined.ts'
import type { Components } from './components.ts'
import { rulesInWords } from './components.ts'
import { isArray, isFile, isObject, type JsonSchema, parametersOf, sentences } from './json-schema.ts'

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query'
  readonly description?: string | undefined
  readonly required?: true | undefined
  readonly deprecated?: boolean | undefined
  readonly style?: 'form' | 'deepObject' | undefined
  readonly explode?: true | undefined
  readonly schema?: JsonSchema | undefined
  readonly content?: Content | undefined
}

export type Content = Readonly<Record<string, Media>>

export interface Media {
  readonly schema: JsonSchema
  readonly encoding?: Readonly<Record<string, { style: 'deepObject'; explode: true }>>
}

export interface RequestBody {
  readonly description?: string | undefined
  readonly required: boolean
  readonly content: Content
}

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const MULTIPART_TYPE = 'multipart/form-data'

/** The placeholders of a path. */
export function pathParameters(schema: JsonSchema, components: Components): Parameter[] {
  return parametersOf(schema).map(({ name, schema: value }) => {
    const { description, ...rest } = components.use(value)
    return defined({ name, in: 'path', required: true, description, schema: rest })
  })
}

/** The parameters in the query string: `name[]` for lists, `name[key]` for hashes, JSON for lists of hashes. */
export function queryParameters(schema: JsonSchema, components: Components): Parameter[] {
  return parametersOf(schema).map(({ name, schema: value, required }) => {
    const { description, deprecated, ...rest } = components.use(value)
    const common = { in: 'query', description, deprecated, required: required || undefined } as const
    if (isArray(value) && isObject(value.items ?? {})) {
      return defined({ name, ...common, content: { [JSON_TYPE]: { schema: rest } } })
    }
    if (isArray(value)) {
      return defined({ name: `${name}[]`, ...common, style: 'form', explode: true, schema: rest })
    }
    if (isObject(value)) {
      return defined({ name, ...common, style: 'deepObject', explode: true, schema: rest })
    }
    return defined({ name, ...common, schema: rest })
  })
}

/** The kinds of bodies that a route accepts. Only multipart bodies can carry files. */
export function requestBody(schema: JsonSchema, components: Components): RequestBody {
  const parameters = parametersOf(schema)
  const required = parameters.filter((one) => one.required).map(({ name }) => name)
  const { 'x-rules': rules, description, ...rest } = schema
  const whole: JsonSchema = defined({ ...rest, required: required.length > 0 ? required : undefined })
  const files = parameters.filter((one) => isFile(one.schema)).map(({ name }) => name)
  const text = without(whole, files)
  const needed = required.length > 0 || rules?.atLeastOneOf !== undefined || rules?.exactlyOneOf !== undefined
  return defined({
    description: sentences(description, rulesInWords(rules)),
    required: needed,
    content: {
      ...(files.length > 0 ? { [MULTIPART_TYPE]: form(whole, components) } : {}),
      [JSON_TYPE]: { schema: components.use(text) },
      [FORM_TYPE]: form(text, components),
    },
  })
}

function without(schema: JsonSchema, names: readonly string[]): JsonSchema {
  if (names.length === 0) return schema
  const kept = Object.entries(schema.properties ?? {}).filter(([name]) => !names.includes(name))
  const required = schema.required?.filter((name) => !names.includes(name)) ?? []
  const { title: _, required: __, ...rest } = schema
  return { ...rest, properties: Object.fromEntries(kept), ...(required.length > 0 ? { required } : {}) }
}

/** As a form: lists are `name[]`, hashes `name[key]`. */
function form(schema: JsonSchema, components: Components): Media {
  const properties = Object.entries(schema.properties ?? {})
  const named = (name: string) => (isArray(schema.properties?.[name] ?? {}) ? `${name}[]` : name)
  const hashes = properties.filter(([, value]) => isObject(value)).map(([name]) => name)
  const encoding = hashes.map((name) => [name, { style: 'deepObject', explode: true }] as const)
  if (!properties.some(([, value]) => isArray(value))) {
    const media = { schema: components.use(schema) }
    return hashes.length > 0 ? { ...media, encoding: Object.fromEntries(encoding) } : media
  }
  const { title: _, ...rest } = schema
  const renamed: JsonSchema = defined({
    ...rest,
    properties: Object.fromEntries(properties.map(([name, value]) => [named(name), value])),
    required: schema.required?.map(named),
  })
  return {
    schema: components.use(renamed),
    ...(hashes.length > 0 ? { encoding: Object.fromEntries(encoding) } : {}),
  }
}
