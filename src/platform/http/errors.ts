import { passingReason, refusalOf, statementOf } from '#platform/db/errors.ts'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Problem } from './parameter-schema.ts'

/**
 * Statuses that a route declares itself (`refuses` in its schema). The others follow from its access and parameters.
 */
export type OwnRefusal = 400 | 405 | 409 | 412 | 422

/** A refusal and its answer. Throw one from anywhere; {@link writeError} writes it. */
export class HttpError extends Error {
  override readonly name = 'HttpError'
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

const reason = (text: string, because?: string): ErrorBody => ({
  message: because === undefined ? text : `${text} - ${because}`,
})

export const badRequest = (because?: string) => new HttpError(400, reason('400 Bad request', because))
/**
 * The same where clients know the whole sentence.
 * @param detail for people. Some clients read `error` first, so it begins with the sentence that they match.
 */
export const refusal = (message: string, detail?: string) =>
  new HttpError(400, { message, ...(detail !== undefined && { error: `${message} (${detail})` }) })
export const unauthorized = (because?: string) => new HttpError(401, reason('401 Unauthorized', because))
export const forbidden = (because?: string) => new HttpError(403, reason('403 Forbidden', because))
/** With a name, `404 Project Not Found` as clients expect it; without one, the plain text. */
export const notFound = (what?: string) =>
  new HttpError(404, { message: what === undefined ? '404 Not found' : `404 ${what} Not Found` })
export const methodNotAllowed = () => new HttpError(405, { message: '405 Method Not Allowed' })
export const conflict = (message = '409 Conflict') => new HttpError(409, { message })
export const preconditionFailed = () => new HttpError(412, { message: '412 Precondition Failed' })
export const unprocessable = (message = '422 Unprocessable Entity') => new HttpError(422, { message })
/** A limit of the application was exceeded; `retryAfter` in whole seconds. */
export const tooManyRequests = (retryAfter = 60) =>
  new HttpError(
    429,
    { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
    { 'retry-after': String(retryAfter) },
  )
/** The request would succeed later; `retryAfter` in whole seconds. */
export const unavailable = (because?: string, retryAfter = 1) =>
  new HttpError(503, reason('503 Service Unavailable', because), { 'retry-after': String(retryAfter) })

/** The resource has moved to another URL. */
export const movedTo = (location: string) =>
  new HttpError(301, `This resource has been moved permanently to ${location}`, { location })

/**
 * Writes to a former path are refused: most clients repeat a redirected write as GET, so it would be lost and look as
 * if it had been done.
 */
export const writeToMoved = (kind: 'project' | 'group') =>
  new HttpError(405, { message: `Non GET methods are not allowed for moved ${kind}s` })

/** A record refuses a change: attribute → sentences without their subject. */
export const invalid = (problems: Readonly<Record<string, readonly string[]>>) =>
  new HttpError(400, { message: problems })

/** Parameters that are missing or unreadable, in the two forms that clients know. */
export function invalidParameters(problems: readonly Problem[]): HttpError {
  const error = problems.map(({ name, text }) => `${name} ${text}`).join(', ')
  const missing = problems.find((problem) => problem.missing)
  if (missing) {
    const [first = missing.name] = missing.name.split(', ')
    return new HttpError(400, { message: `400 (Bad request) "${first}" not given`, error })
  }
  const message: Record<string, string[]> = {}
  for (const { name, text } of problems) (message[name] ??= []).push(text)
  return new HttpError(400, { message, error })
}

const TRANSPORT: Readonly<Record<string, (error: FastifyError, request: FastifyRequest) => HttpError>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: (_, request) =>
    new HttpError(415, {
      error: `The requested content-type '${request.headers['content-type'] ?? ''}' is not supported.`,
    }),
  FST_ERR_BAD_URL: () => new HttpError(400, { error: 'The path is not valid percent-encoding.' }),
}

/** Turns anything thrown into the answer that it stands for. What stands for none is a 500, logged with its cause. */
export function meaningOf(error: unknown, request: FastifyRequest): HttpError | undefined {
  if (error instanceof HttpError) return error
  const passing = passingReason(error)
  if (passing !== undefined) return unavailable(passing)
  const refusal = refusalOf(error)
  if (refusal?.kind === 'taken')
    return refusal.conflict ? conflict(refusal.text) : invalid(refusal.attributes)
  if (refusal?.kind === 'gone') return notFound()
  if (refusal?.kind === 'unreadable') return badRequest('a value is out of range')
  if (!isFastifyError(error)) return undefined
  const transport = TRANSPORT[error.code]
  if (transport) return transport(error, request)
  const status = error.statusCode ?? 500
  return status >= 400 && status < 500 ? new HttpError(status, { error: error.message }) : undefined
}

function isFastifyError(error: unknown): error is FastifyError {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && 'statusCode' in error
}

/** How a failure that has no meaning is logged. When the client has left, that is nearly always its cause. */
export const levelOfFailure = ({ raw }: FastifyRequest): 'debug' | 'error' =>
  raw.socket.destroyed ? 'debug' : 'error'

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
  // Fastify keeps the success serializer of a declared status; error bodies are written as they are.
  const isText = typeof known.body === 'string'
  reply
    .code(known.status)
    .headers(known.headers)
    .type(isText ? 'text/plain' : 'application/json')
    .serializer((body: unknown) => (isText ? String(body) : JSON.stringify(body)))
    .send(known.body)
}
