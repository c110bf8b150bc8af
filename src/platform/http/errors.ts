import { passingReason, refusalOf, statementOf } from '#platform/db/errors.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import {
  badRequest,
  Busy,
  conflict,
  invalid,
  InvalidToken,
  notFound,
  Refusal,
  TooOften,
  unavailable,
  Unidentified,
} from '#platform/refusals.ts'

/**
 * Statuses that a route declares itself (`refuses` in its schema). The others follow from its access and parameters.
 */
export type OwnRefusal = 400 | 405 | 409 | 410 | 412 | 422 | 507

/**
 * A refusal of HTTP's own, and its answer: for routes and what stands before them. Verbs throw a `Refusal` of
 * src/platform/refusals.ts, which {@link meaningOf} turns into one of these.
 */
export class HttpError extends Error {
  override readonly name: string = 'HttpError'
  readonly status: number
  /** A text is sent as it is, an object as JSON. */
  readonly body: ErrorBody | string
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: ErrorBody | string, headers: Readonly<Record<string, string>> = {}) {
    super(typeof body === 'string' ? body : JSON.stringify(body))
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** A body that cannot be read. Callers without valid credentials get that refusal instead. */
export class UnreadableBody extends HttpError {
  constructor(error: string, status: 400 | 415 = 400) {
    super(status, { error })
  }
}

/** `message` is the field of the specification, `error` the one that older clients show. Both say the same. */
export interface ErrorBody {
  readonly message?: string | Readonly<Record<string, unknown>> | readonly string[]
  readonly error?: string
  readonly error_description?: string
  readonly scope?: string
  /** The reason in a word, where clients read one. */
  readonly error_code?: string
  /** Where a CAPTCHA would help: that it does, for which refusal, and with which key. */
  readonly needs_captcha_response?: true
  readonly spam_log_id?: number
  readonly captcha_site_key?: string
}

export const preconditionFailed = () => new HttpError(412, { message: '412 Precondition Failed' })

/** The resource has moved to another URL. */
export const movedTo = (location: string) =>
  new HttpError(301, `This resource has been moved permanently to ${location}`, { location })

/**
 * Writes to a former path are refused: most clients repeat a redirected write as GET, so it would be lost and look as
 * if it had been done.
 */
export const writeToMoved = (kind: 'project' | 'group') =>
  new HttpError(405, { message: `Non GET methods are not allowed for moved ${kind}s` })

/** The only place that gives refusals their numbers. */
const STATUSES: Readonly<Record<Refusal['kind'], number>> = {
  invalid: 400,
  unidentified: 401,
  'not allowed': 403,
  'not found': 404,
  'not possible': 405,
  conflict: 409,
  'too large': 413,
  unprocessable: 422,
  'too often': 429,
  busy: 503,
  full: 507,
}

/** The answer to a refusal of the domain. */
export function answerTo(refusal: Refusal): HttpError {
  const { kind, says, fields } = refusal
  const message = refusal instanceof TooOften ? { error: refusal.says } : says
  return new HttpError(STATUSES[kind], { message, ...fields }, headersOf(refusal))
}

function headersOf(refusal: Refusal): Readonly<Record<string, string>> {
  if (refusal instanceof Busy || refusal instanceof TooOften)
    return { 'retry-after': String(refusal.retryAfter) }
  if (!(refusal instanceof InvalidToken)) return {}
  const { description } = refusal
  return {
    'www-authenticate': `Bearer realm="The API", error="invalid_token", error_description="${description}"`,
  }
}

/** Whether a request was refused because nobody knows who sent it. */
export const isUnidentified = (error: unknown): boolean =>
  error instanceof Unidentified || (error instanceof HttpError && error.status === 401)

const TRANSPORT: Readonly<Record<string, (error: FastifyError, request: FastifyRequest) => HttpError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (_, request) =>
    new HttpError(415, {
      error: `The requested content-type '${request.headers['content-type'] ?? ''}' is not supported.`,
    }),
  FST_ERR_BAD_URL: () => new HttpError(400, { error: 'The path is not valid percent-encoding.' }),
}

/** Turns anything thrown into the answer that it stands for. What stands for none is a 500, logged with its cause. */
export function meaningOf(error: unknown, request: FastifyRequest): HttpError | undefined {
  const known = meaningOutside(error)
  if (known !== undefined) return known
  if (!isFastifyError(error)) return undefined
  const transport = TRANSPORT[error.code]
  if (transport) return transport(error, request)
  const status = error.statusCode ?? 500
  return status >= 400 && status < 500 ? new HttpError(status, { error: error.message }) : undefined
}

/** The same for what is no request of HTTP, such as one over SSH. */
export function meaningOutside(error: unknown): HttpError | undefined {
  if (error instanceof HttpError) return error
  const refusal = error instanceof Refusal ? error : refusalOfDatabase(error)
  return refusal && answerTo(refusal)
}

/** What a failure of PostgreSQL means to whoever asked. */
function refusalOfDatabase(error: unknown): Refusal | undefined {
  const passing = passingReason(error)
  if (passing !== undefined) return unavailable(passing)
  const found = refusalOf(error)
  if (found?.kind === 'taken') return found.conflict ? conflict(found.text) : invalid(found.attributes)
  if (found?.kind === 'gone') return notFound()
  return found?.kind === 'unreadable' ? badRequest('a value is out of range') : undefined
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'statusCode' in error
}

/** How a failure that has no meaning is logged. When the client has left, that is nearly always its cause. */
export const levelOfFailure = ({ raw }: FastifyRequest): 'debug' | 'error' =>
  raw.socket.destroyed ? 'debug' : 'error'

/** How programs may say who they are: with a token as the password. */
export const CHALLENGE = 'Basic realm="Forgelet", charset="UTF-8"'

/** The one place where an error becomes an answer. */
export function writeError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = meaningOf(error, request)
  const statement = statementOf(error)
  if (known === undefined) {
    request.log[levelOfFailure(request)]({ err: error, statement }, 'request failed')
    reply.code(500).send({ message: '500 Internal Server Error' })
    return
  }
  // The parameter reader should have refused a value that PostgreSQL refuses: worth a look.
  if (refusalOf(error)?.kind === 'unreadable')
    request.log.warn({ err: error, statement }, 'a statement refused a value')
  if (known.status === 503)
    request.log.warn({ err: error, statement }, passingReason(error) ?? 'not available')
  if (known.status === 401 && request.routeOptions.config.access?.challenge)
    reply.header('www-authenticate', CHALLENGE)
  // Fastify keeps the success serializer of a declared status; error bodies are written as they are.
  const isText = typeof known.body === 'string'
  reply
    .code(known.status)
    .headers(known.headers)
    .type(isText ? 'text/plain' : 'application/json')
    .serializer((body: unknown) => (isText ? String(body) : JSON.stringify(body)))
    .send(known.body)
}
