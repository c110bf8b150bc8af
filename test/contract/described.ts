import { describeApi, type OpenApi } from '#platform/openapi/document.ts'
import type { JsonSchema } from '#platform/openapi/json-schema.ts'
import { w } from '#test/world.ts'

type Node = Readonly<Record<string, unknown>>

let document: OpenApi | undefined
const whole = () => (document ??= describeApi(w.running.app.declaredRoutes, '0.0.0'))

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null
const at = (value: unknown, key: string): unknown => resolved(isNode(value) ? value[key] : undefined)

/** What a reference stands for. */
function resolved(value: unknown): unknown {
  if (!isNode(value) || typeof value['$ref'] !== 'string') return value
  return value['$ref'].slice(2).split('/').reduce<unknown>(at, whole())
}

/** The description of a route: `GET /groups/{id}/epics`. */
export function operationOf(route: string): Node {
  const [method = '', path = ''] = route.split(' ')
  const found = at(at(whole().paths, path), method.toLowerCase())
  if (!isNode(found)) throw new Error(`No ${route} in the description`)
  return found
}

const jsonOf = (holder: unknown): unknown => at(at(at(holder, 'content'), 'application/json'), 'schema')

/** A parameter in the body of a route, as the description has it. */
export const parameterOf = (route: string, name: string): JsonSchema | undefined =>
  propertyOf(jsonOf(at(operationOf(route), 'requestBody')), name)

/** A field of the answer of a route. */
export function fieldOf(route: string, name: string): JsonSchema | undefined {
  const responses = at(operationOf(route), 'responses')
  const success = isNode(responses) ? Object.keys(responses).find((status) => /^20[01]$/.test(status)) : ''
  const schema = jsonOf(at(responses, success ?? ''))
  return propertyOf(at(schema, 'items') ?? schema, name)
}

function propertyOf(schema: unknown, name: string): JsonSchema | undefined {
  const properties = at(schema, 'properties')
  const found = isNode(properties) ? properties[name] : undefined
  return isNode(found) ? found : undefined
}
