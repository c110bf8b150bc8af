import type { FastifyInstance } from 'fastify'
import type { ParameterSchema } from './parameter-schema.ts'

/**
 * Every input has a maximum, which its schema states. The server does not start when a route's schema lacks one, or
 * states something that the parameter reader ignores.
 */

/** The keywords that the reader of parameters.ts applies, and those that only describe. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'format',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'default',
  'items',
  'maxItems',
  'properties',
  'patternProperties',
  'maxProperties',
  'propertyNames',
  'required',
  'x-comma',
  'x-words',
  'x-old-null',
  'x-after',
  'x-any-case',
  'x-rules',
  'x-secret',
  'title',
  'description',
  'deprecated',
])

/** The types that the reader knows, each alone or beside `null`. An id or a path is a text or a number. */
const TYPES: ReadonlySet<string> = new Set(['string', 'integer', 'boolean', 'array', 'object'])

/** Dates are always short. */
const BOUNDED_FORMATS: ReadonlySet<unknown> = new Set(['date', 'date-time'])

/** Checks every route when it is added. @throws for a route that accepts anything without a maximum. */
export function assertBounds(app: FastifyInstance): void {
  app.addHook('onRoute', ({ method, url, schema }) => {
    const { params, querystring, body } = schema ?? {}
    const faults = Object.entries({ params, querystring, body }).flatMap(([part, of]) =>
      of === undefined ? [] : faultsOf(asSchema(of), part),
    )
    const declared = Object.keys(asSchema(params ?? {}).properties ?? {})
    for (const [, name = ''] of url.matchAll(/:(\w+)/g)) {
      if (!declared.includes(name)) faults.push(`params.${name} is not declared`)
    }
    const [first] = faults
    if (first !== undefined) throw new Error(`${String(method)} ${url}: ${first}`)
  })
}

/** What is wrong with a schema of parameters: what has no maximum, and what the reader would ignore. */
export function faultsOf(schema: ParameterSchema, name: string): string[] {
  const unknown = Object.keys(schema).filter((keyword) => !KEYWORDS.has(keyword))
  return [
    ...unknown.map(
      (keyword) => `${name} has the keyword "${keyword}", which the parameter reader does not know`,
    ),
    ...faultsOfType(schema, name),
    ...partsOf(schema, name).flatMap(([of, part]) => faultsOf(of, part)),
  ]
}

function faultsOfType(schema: ParameterSchema, name: string): string[] {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  if (types.length === 0 || !types.every((type) => TYPES.has(type))) {
    return [`${name} has a type that the parameter reader does not know`]
  }
  const { maxLength, maxItems, maxProperties, propertyNames, format } = schema
  if (types.includes('string')) {
    const isBounded = maxLength !== undefined || schema.enum !== undefined || BOUNDED_FORMATS.has(format)
    return isBounded ? [] : [`${name} is a text without maxLength`]
  }
  if (types.includes('array')) return maxItems === undefined ? [`${name} is a list without maxItems`] : []
  if (types.includes('object') && schema.properties === undefined) {
    const isBounded = maxProperties !== undefined && propertyNames?.maxLength !== undefined
    return isBounded ? [] : [`${name} is a record of any keys without maxProperties and propertyNames`]
  }
  return []
}

/** The schemas within a schema, with their names for messages. */
function partsOf({ properties, patternProperties, items }: ParameterSchema, name: string) {
  const inside = (schemas: typeof properties = {}) =>
    Object.entries(schemas).map(([key, schema]) => [schema, `${name}.${key}`] as const)
  return [
    ...inside(properties),
    ...inside(patternProperties),
    ...(items === undefined ? [] : [[items, `${name}[]`] as const]),
  ]
}

/** Fastify does not type the schemas of routes. A value that is no schema has no keywords that pass. */
function asSchema(schema: unknown): ParameterSchema {
  return typeof schema === 'object' && schema !== null ? schema : {}
}
