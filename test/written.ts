import { Compile } from 'typebox/schema'
import { type WrittenBody, writtenBodies } from '#platform/http/serializers.ts'
import type { JsonSchema } from '#platform/openapi/json-schema.ts'
import { afterEachFile } from './checks.ts'

/** What servers wrote against what their routes declare: nothing may be missing, of another type, or not declared. */

const compiled = new WeakMap<object, ReturnType<typeof Compile>>()
const undeclared = new Set<string>()

writtenBodies.subscribe((message) => {
  const { method, url, schema, body } = message as WrittenBody
  if (typeof schema !== 'object' || schema === null) return
  const validator = compiled.get(schema) ?? Compile(exact(schema))
  compiled.set(schema, validator)
  const text = JSON.stringify(body) as string | undefined
  const value: unknown = text === undefined ? undefined : JSON.parse(text)
  if (validator.Check(value)) return
  const [, errors] = validator.Errors(value)
  for (const { instancePath, message: problem, params } of errors) {
    undeclared.add(`${method} ${url}: ${instancePath} ${problem} ${JSON.stringify(params)}`)
  }
})

/** The same schema without anything that it does not name. */
function exact(schema: JsonSchema): JsonSchema {
  const { properties, items, anyOf, patternProperties } = schema
  return {
    ...schema,
    ...(properties && {
      properties: eachOf(properties),
      ...(patternProperties === undefined && { additionalProperties: false }),
    }),
    ...(patternProperties && { patternProperties: eachOf(patternProperties) }),
    ...(items && { items: exact(items) }),
    ...(anyOf && { anyOf: anyOf.map(exact) }),
  }
}

const eachOf = (schemas: Readonly<Record<string, JsonSchema>>) =>
  Object.fromEntries(Object.entries(schemas).map(([name, one]) => [name, exact(one)]))

/** Nothing is shown that the description of the API does not name. */
afterEachFile(() => {
  const found = [...undeclared].map((one) => `a body is not as its route declares: ${one}`)
  undeclared.clear()
  return found
})
