import { defined } from '#platform/defined.ts'
import type { RouteAccess } from '#platform/access/route-access.ts'
import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import { inWords } from '#platform/http/deprecations.ts'
import { API } from '#platform/http/routing.ts'
import { answersOf, errorSchema, headers, sharedAnswers } from './answers.ts'
import { whoMay } from './access.ts'
import { type Area, areaOf, areas } from './areas.ts'
import { Components } from './components.ts'
import { type JsonSchema, plain, sentences } from './json-schema.ts'
import type { Operation, SharingOperation } from './operation.ts'
import { type Repeated, shareRepeated } from './repeated.ts'
import { pathParameters, queryParameters, requestBody } from './parameters.ts'

export type PathItem = Readonly<Record<string, SharingOperation>>

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>> & { title: string; version: string; description: string }
  readonly servers: readonly { url: string; description: string }[]
  readonly tags: readonly { name: string; description: string; 'x-beta'?: true }[]
  readonly security: readonly Readonly<Record<string, readonly string[]>>[]
  readonly paths: Readonly<Record<string, PathItem>>
  readonly components: Repeated & {
    readonly headers: object
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

const ABOUT = `Forgelet keeps software projects and speaks the GitLab API, version 4, so that its clients work unchanged. \
It is not affiliated with GitLab.

Send parameters in the query string or in a body: JSON, a form, or multipart. Lists are \`name[]=value\` repeated, \
hashes \`name[key]=value\`, lists of hashes \`name[0][key]=value\` or JSON. Unknown parameters are ignored. \
Ids of projects and groups may be their paths, with \`/\` written \`%2F\`.

Lists come in pages of 20, at most 100; follow the \`Link\` header. Answers to GET carry an \`ETag\`; sent back in \
\`If-None-Match\` it gives 304 when nothing changed. HEAD works wherever GET does.

Deprecated routes keep working. Their answers have the header \`Deprecation\` (RFC 9745), with the day since when.

Administrators whose token has the scope \`sudo\` act as another user with the parameter or header \`sudo\`: an id or username.`

/** The ways to send a token; "Authentication" in the specification. */
const securitySchemes = {
  privateToken: { type: 'apiKey', in: 'header', name: 'PRIVATE-TOKEN', description: 'An access token.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'An access token or an OAuth 2.0 token.' },
  privateTokenParameter: { type: 'apiKey', in: 'query', name: 'private_token' },
  accessTokenParameter: { type: 'apiKey', in: 'query', name: 'access_token' },
  basic: { type: 'http', scheme: 'basic', description: 'An access token as the password.' },
}

/** The ways to send the token of a job, where it may be used. */
const jobTokenSchemes = {
  jobToken: { type: 'apiKey', in: 'header', name: 'JOB-TOKEN', description: 'The token of a running job.' },
  jobTokenParameter: { type: 'apiKey', in: 'query', name: 'job_token' },
}

const alternatives = (schemes: object) => Object.keys(schemes).map((name) => ({ [name]: [] }))
const security = alternatives(securitySchemes)
const securityWithJobs = [...security, ...alternatives(jobTokenSchemes)]

/** Describes the declared routes of the API as an OpenAPI 3.1 document. It omits pages outside the API. */
export function describeApi(routes: readonly DeclaredRoute[], version: string): OpenApi {
  const components = new Components()
  const paths: Record<string, Record<string, Operation>> = {}
  const used = new Set<Area>()
  for (const route of routes) {
    if (route.access.outside || !route.url.startsWith(`${API}/`)) continue
    const path = route.url.slice(API.length)
    const area = areaOf(path)
    used.add(area)
    const item = (paths[path.replace(/:(\w+)/g, '{$1}')] ??= {})
    item[route.method.toLowerCase()] = operationOf(route, path, area, components)
  }
  const { paths: sharing, ...repeated } = shareRepeated(paths)
  return {
    openapi: '3.1.0',
    info: { title: 'Forgelet', version, summary: 'The REST API, version 4.', description: ABOUT },
    servers: [{ url: API, description: 'This server' }],
    tags: areas()
      .filter((area) => used.has(area))
      .map(({ name, about, beta }) => ({
        name,
        description: beta ? `${about} Beta: may change or disappear without notice.` : about,
        ...(beta ? { 'x-beta': beta } : {}),
      })),
    security,
    paths: sharing,
    components: {
      ...repeated,
      schemas: { ...sorted({ ...components.schemas, ...repeated.schemas }), Error: errorSchema },
      responses: { ...sharedAnswers, ...repeated.responses },
      headers,
      securitySchemes: { ...securitySchemes, ...jobTokenSchemes },
    },
  }
}

function operationOf(route: DeclaredRoute, path: string, area: Area, components: Components): Operation {
  const { method, url, access, schema } = route
  const { subject, scopes, tier, featureFlag } = access
  const parameters = [
    ...(schema.params === undefined ? [] : pathParameters(plain(schema.params), components)),
    ...(schema.querystring === undefined ? [] : queryParameters(plain(schema.querystring), components)),
  ]
  const rules = schema.querystring === undefined ? undefined : components.use(untitled(schema.querystring))
  if (schema.summary === undefined) throw new Error(`${method} ${path} has no summary`)
  return defined({
    operationId: operationIdOf(method, url),
    tags: [area.name],
    summary: schema.summary,
    description: sentences(
      schema.description,
      schema.deprecated && inWords(schema.deprecated),
      rules?.description,
      whoMay(access),
    ),
    deprecated: schema.deprecated && true,
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: schema.body === undefined ? undefined : requestBody(plain(schema.body), components),
    responses: answersOf(route, components),
    security: securityOf(access),
    'x-scopes': scopes.length > 0 ? scopes : undefined,
    'x-subject': subject.kind === 'anyone' ? undefined : subject.kind === 'admin' ? 'instance' : subject.kind,
    'x-ability':
      'ability' in subject ? subject.ability : subject.kind === 'admin' ? 'administrate' : undefined,
    'x-tier': tier,
    'x-feature-flag': featureFlag,
    'x-beta': area.beta,
  })
}

/** Undefined for what the document says once for all endpoints. */
function securityOf({ anonymous, jobToken }: RouteAccess): Operation['security'] {
  if (!anonymous && jobToken === undefined) return undefined
  return [...(anonymous ? [{}] : []), ...(jobToken ? securityWithJobs : security)]
}

function untitled(schema: unknown): JsonSchema {
  const { title: _, ...rest } = plain(schema)
  return rest
}

/** `getApiV4ProjectsIdLabels`: the form that generators of clients for this API know. */
function operationIdOf(method: string, url: string): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return (
    method.toLowerCase() + words.map((word) => word.replace(/^./, (first) => first.toUpperCase())).join('')
  )
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/** The document as it is checked in and served: a line for each operation and each component. */
export const asText = (document: OpenApi): string => `${lines(document, 3)}\n`

/** JSON in which objects have a line for each property, as many levels deep. */
function lines(value: unknown, levels: number, indent = ''): string {
  if (levels === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) {
    return JSON.stringify(value)
  }
  const inner = `${indent} `
  const properties = Object.entries(value).map(
    ([key, one]) => `${inner}${JSON.stringify(key)}: ${lines(one, levels - 1, inner)}`,
  )
  return `{\n${properties.join(',\n')}\n${indent}}`
}
