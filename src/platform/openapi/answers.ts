import type { DeclaredRoute } from '#platform/http/declared-routes.ts'
import type { OwnRefusal } from '#platform/http/errors.ts'
import type { Components } from './components.ts'
import { isArray, isFile, type JsonSchema, plain, sentences, typesOf } from './json-schema.ts'

interface Header {
  readonly description: string
  readonly schema: JsonSchema
}

export interface Reference {
  readonly $ref: string
}

export interface Answer {
  readonly description: string
  readonly headers?: Readonly<Record<string, Header | Reference>>
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

export type Answers = Readonly<Record<string, Answer | Reference>>

export const isAnswer = (one: Answer | Reference): one is Answer => !('$ref' in one)

const text = (description: string): Header => ({ description, schema: { type: 'string' } })
const whole = (description: string): Header => ({ description, schema: { type: 'integer' } })

const pageHeaders: Readonly<Record<string, Header>> = {
  Link: text('The URLs of other pages, by relation: `prev`, `next`, `first`, `last`.'),
  'X-Page': whole('The number of this page, from 1.'),
  'X-Per-Page': whole('Rows on a page.'),
  'X-Next-Page': text('The number of the next page, empty on the last one.'),
  'X-Prev-Page': text('The number of the previous page, empty on the first one.'),
  'X-Total': whole('The total number of rows; absent if there are more than 10,000.'),
  'X-Total-Pages': whole('The total number of pages; absent if there are more than 10,000 rows.'),
}

const keysetHeaders: Readonly<Record<string, Header>> = {
  'X-Next-Cursor': text('With keyset pagination, where the next page starts.'),
  'X-Prev-Cursor': text('With keyset pagination, where the previous page starts.'),
}

/** The headers of every answer while rate limits are on. */
const limitHeaders: Readonly<Record<string, Header>> = {
  'RateLimit-Limit': whole('The average number of requests per minute, rounded up.'),
  'RateLimit-Name': text('The limit that counts this request.'),
  'RateLimit-Observed': whole('Requests so far in this period.'),
  'RateLimit-Remaining': whole('Requests left in this period.'),
  'RateLimit-Reset': whole('When the next period begins, in seconds since 1970.'),
  'RateLimit-ResetTime': text('The same as a date.'),
}

/** Headers that several answers share. */
export const headers: Readonly<Record<string, Header>> = {
  ...pageHeaders,
  ...keysetHeaders,
  Deprecation: text('Since when the route is deprecated: `@` and seconds since 1970 (RFC 9745).'),
  Location: text('The new location of the resource.'),
  'Retry-After': whole('Seconds to wait before trying again.'),
  ...limitHeaders,
}

const refer = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

/** The body of every refusal: `message` first; `error` says the same for older clients. */
export const errorSchema: JsonSchema = {
  type: 'object',
  properties: {
    message: {
      description: 'The reason: a text, or an object with sentences for each refused attribute.',
      anyOf: [
        { type: 'string' },
        { type: 'object', additionalProperties: true },
        { type: 'array', items: { type: 'string' } },
      ],
    },
    error: { type: 'string', description: 'The same in one sentence, or the kind of a token problem.' },
    error_description: { type: 'string', description: 'For token problems: what to do.' },
    needs_captcha_response: {
      type: 'boolean',
      description: 'For what looks like spam: whether a CAPTCHA helps.',
    },
    spam_log_id: { type: 'integer', description: 'To send with the answer to the CAPTCHA.' },
    captcha_site_key: { type: 'string', description: 'The key for showing the CAPTCHA.' },
    scope: { type: 'string', description: 'With `insufficient_scope`: the scopes that are sufficient.' },
  },
}

const refusal = (description: string, ...named: readonly string[]): Answer => ({
  description,
  ...(named.length > 0 ? { headers: refer(named) } : {}),
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
})

/** The refusals that routes share, by status. */
const refusals = {
  301: {
    name: 'Moved',
    answer: {
      description: 'The project or group has a new path.',
      headers: refer(['Location']),
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
  },
  304: {
    name: 'NotModified',
    answer: { description: 'Nothing changed since the entity tag in `If-None-Match`.' },
  },
  400: { name: 'BadRequest', answer: refusal('A parameter is missing or invalid.') },
  401: { name: 'Unauthorized', answer: refusal('Credentials are missing, wrong, expired or revoked.') },
  403: { name: 'Forbidden', answer: refusal("The caller's rights or the token's scopes do not allow this.") },
  404: { name: 'NotFound', answer: refusal('It does not exist, or the caller cannot see it.') },
  405: {
    name: 'NotOffered',
    answer: refusal(
      'For a list: the page is beyond the offset limit, or the list does not offer keyset pagination in this ' +
        'order. For a write: the project or group has a new path; or not possible for a resource of this kind.',
    ),
  },
  409: {
    name: 'Conflict',
    answer: refusal(
      'It exists already, or its state does not allow this. With `needs_captcha_response`, it looks like spam: send it again with the answer to a CAPTCHA.',
    ),
  },
  410: { name: 'Gone', answer: refusal('Settings have ended this way of doing it.') },
  412: {
    name: 'PreconditionFailed',
    answer: refusal('It changed after the time in `If-Unmodified-Since`.'),
  },
  408: { name: 'RequestTimeout', answer: refusal('The body did not arrive in time.') },
  413: { name: 'TooLarge', answer: refusal('The body is too large.') },
  414: { name: 'QueryTooLong', answer: refusal('The query string is too long: use a body.') },
  415: { name: 'UnsupportedMediaType', answer: refusal('The body is neither JSON nor a form.') },
  422: { name: 'Unprocessable', answer: refusal('The combination of these resources is not possible.') },
  429: {
    name: 'TooManyRequests',
    answer: {
      description:
        'Too many requests, or too many of this kind. Only limits of all requests have `RateLimit` headers and a plain text.',
      headers: refer(['Retry-After', ...Object.keys(limitHeaders)]),
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/Error' } },
        'text/plain': { schema: { type: 'string' } },
      },
    },
  },
  431: {
    name: 'HeadTooLarge',
    answer: refusal('The path and the headers are larger than 64 KiB together.'),
  },
  503: { name: 'Unavailable', answer: refusal('Temporarily unavailable.', 'Retry-After') },
  507: { name: 'Full', answer: refusal('There is no room for it, here or in what the project may take.') },
} as const satisfies Record<number, { name: string; answer: Answer }>

type Refusal = keyof typeof refusals

const statuses = [
  301, 304, 400, 401, 403, 404, 405, 408, 409, 410, 412, 413, 414, 415, 422, 429, 431, 503, 507,
] as const

/** The shared refusals as components. */
export const sharedAnswers: Readonly<Record<string, Answer>> = Object.fromEntries(
  Object.values(refusals).map(({ name, answer }) => [name, answer]),
)

/** The answers of a route: those it declares itself, and the refusals that follow from its access and form. */
export function answersOf(route: DeclaredRoute, components: Components): Answers {
  const query = plain(route.schema.querystring ?? {}).properties ?? {}
  const declared = Object.entries(plain(route.schema.response)).map(([status, schema]) => [
    status,
    answer(
      Number(status),
      plain(schema),
      components,
      headersOf(route.schema, { status, schema: plain(schema), query }),
    ),
  ])
  const shared = refusalsOf(route, query).map((status) => [
    String(status),
    { $ref: `#/components/responses/${refusals[status].name}` },
  ])
  return Object.fromEntries([...shared, ...declared])
}

function answer(
  status: number,
  schema: JsonSchema,
  components: Components,
  named: readonly string[],
): Answer {
  const { description, ...rest } = schema
  const empty = typesOf(schema).join() === 'null'
  const type = schema.contentMediaType ?? (isFile(schema) ? 'application/octet-stream' : 'application/json')
  return {
    description: sentences(empty ? undefined : description) ?? MEANING[status] ?? 'Done.',
    ...(named.length > 0 ? { headers: refer(named) } : {}),
    ...(empty ? {} : { content: { [type]: { schema: components.use(rest) } } }),
  }
}

/** The headers that matter in a success. */
function headersOf(
  { deprecated }: DeclaredRoute['schema'],
  answered: {
    readonly status: string
    readonly schema: JsonSchema
    readonly query: Readonly<Record<string, JsonSchema>>
  },
): string[] {
  const { status, schema, query } = answered
  const listed = status === '200' && isArray(schema) && query['page'] !== undefined
  return [
    ...(deprecated === undefined ? [] : ['Deprecation']),
    ...(listed ? Object.keys(pageHeaders) : []),
    ...(listed && query['cursor'] !== undefined ? Object.keys(keysetHeaders) : []),
  ]
}

const MEANING: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted: it happens in the background.',
  204: 'Done; there is no body.',
  304: 'Nothing changed.',
}

/** The refusals that follow from the route's access, parameters and method. */
function refusalsOf({ method, access, schema }: DeclaredRoute, query: object): Refusal[] {
  const own = (status: OwnRefusal) => schema.refuses?.includes(status) ?? false
  const inPlace = access.subject.kind === 'project' || access.subject.kind === 'group'
  const conditions: Readonly<Record<Refusal, boolean>> = {
    301: inPlace && method === 'GET',
    304: method === 'GET' && isText(schema),
    // Unreadable input is refused even where a route has no parameters.
    400: true,
    // A token that was sent is checked even where none is needed.
    401: true,
    403: true,
    // For the requested resource, or for the user that `sudo` names.
    404: true,
    405: 'pagination' in query || own(405) || (inPlace && method !== 'GET'),
    408: true,
    409: own(409) || schema.checkedForSpam === true,
    410: own(410),
    412: own(412),
    413: true,
    414: true,
    415: true,
    422: own(422),
    429: true,
    431: true,
    503: true,
    507: own(507),
  }
  return statuses.filter((status) => conditions[status])
}

/** Files and exports are streams, which have no entity tag. */
function isText(schema: DeclaredRoute['schema']): boolean {
  const { 200: found } = responsesOf(schema)
  return found !== undefined && !isFile(found) && found.contentMediaType === undefined
}

const responsesOf = (schema: DeclaredRoute['schema']): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(Object.entries(plain(schema.response)).map(([status, one]) => [status, plain(one)]))
