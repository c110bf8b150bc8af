import type { Operation } from '#platform/openapi/operation.ts'
import { shellWord } from '#platform/shell-word.ts'
import { isArray, isObject, type JsonSchema, typesOf } from '#platform/openapi/json-schema.ts'

type Resolve = (schema: JsonSchema) => JsonSchema

/** A curl request as one would type it once `FORGELET` and `TOKEN` are set. */
export function curlFor(method: string, path: string, operation: Operation, resolve: Resolve): string {
  const url = `"$FORGELET/api/v4${path.replace(/\{(\w+)\}/g, (_, name: string) => placeholder(name))}"`
  const anonymous = operation.security?.some((one) => Object.keys(one).length === 0)
  return [
    `curl${method === 'get' ? '' : ` --request ${method.toUpperCase()}`}`,
    ...(anonymous && operation['x-scopes'] === undefined ? [] : ['--header "PRIVATE-TOKEN: $TOKEN"']),
    ...bodyOf(operation, resolve),
    url,
  ].join(' \\\n  ')
}

const placeholder = (name: string) =>
  name === 'id' || name.endsWith('_id') || name.endsWith('_iid') ? '1' : name

function bodyOf({ requestBody }: Operation, resolve: Resolve): string[] {
  const [media] = Object.entries(requestBody?.content ?? {})
  if (media === undefined) return []
  const [type, { schema }] = media
  const values = exampleOf(resolve(schema), resolve)
  if (type === 'multipart/form-data') {
    return Object.entries(values).map(([name, value]) => `--form '${name}=${String(value)}'`)
  }
  if (Object.keys(values).length === 0) return []
  const json = shellWord(JSON.stringify(values))
  return ['--header "Content-Type: application/json"', `--data ${json}`]
}

/** The required properties; when nothing is required, the first property. */
function exampleOf(schema: JsonSchema, resolve: Resolve): Record<string, unknown> {
  const names = Object.keys(schema.properties ?? {})
  const needed = names.filter((name) => schema.required?.includes(name))
  return Object.fromEntries(
    (needed.length > 0 ? needed : names.slice(0, 1)).map((name) => [
      name,
      valueOf(resolve(schema.properties?.[name] ?? {}), name, resolve),
    ]),
  )
}

function valueOf(schema: JsonSchema, name: string, resolve: Resolve): unknown {
  if (schema.enum) return schema.enum[0]
  if (schema.format === 'binary') return `@${name}.png`
  if (schema.format === 'date') return '2030-01-31'
  if (schema.format === 'date-time') return '2030-01-31T12:00:00Z'
  if (isArray(schema)) return [valueOf(resolve(schema.items ?? {}), name, resolve)]
  if (isObject(schema)) return exampleOf(schema, resolve)
  const types = typesOf(schema)
  if (types.includes('integer')) return schema.minimum ?? 1
  if (types.includes('boolean')) return true
  return name.includes('color') ? '#1f75cb' : name.replace(/_/g, ' ')
}
