import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, meaningOf } from '#platform/http/errors.ts'

/** Seconds for which a refused SDK drops events by itself. */
const PAUSE = 10

/** A refusal as SDKs read it: the reason in a header. */
export class CollectorRefusal extends HttpError {
  readonly text: string

  constructor(status: number, reason: string, headers: Readonly<Record<string, string>> = {}) {
    const text = JSON.stringify({ detail: reason })
    super(status, text, { 'x-sentry-error': reason, ...headers })
    this.text = text
  }
}

export const unreadable = (reason: string) => new CollectorRefusal(400, reason)
export const tooLarge = (what: string) => new CollectorRefusal(413, `${what} is too large`)
export const unauthenticated = () => new CollectorRefusal(401, 'missing authorization information')
/** Says the same of keys that never were, of deleted ones, and of those of other projects. */
export const wrongKey = () =>
  new CollectorRefusal(403, 'event submission rejected: the key is not one of this project')
export const inactive = () =>
  new CollectorRefusal(403, 'event submission rejected: error tracking is not active in this project')

/** More came than may be kept. SDKs then send no errors for a while. */
export const limited = (reason: string) =>
  new CollectorRefusal(429, `event dropped: ${reason}`, {
    'retry-after': String(PAUSE),
    'x-sentry-rate-limits': `${PAUSE}:error:project:${reason}`,
  })

/** The one place where an error becomes an answer to an SDK. */
export function writeRefusal(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const known = meaningOf(error, request)
  if (known === undefined) request.log.error({ err: error }, 'request failed')
  else if (known.status === 503) request.log.warn({ err: error }, 'not available')
  const status = known?.status ?? 500
  const refusal =
    known instanceof CollectorRefusal
      ? known
      : new CollectorRefusal(status, reasonOf(status, known), known?.headers ?? {})
  reply.code(status).headers(refusal.headers).type('application/json').send(Buffer.from(refusal.text))
}

function reasonOf(status: number, error: HttpError | undefined): string {
  if (status === 413) return 'the request is too large'
  const body = error?.body
  const texts = typeof body === 'object' ? [body.error, body.message] : [body]
  return texts.find((text) => typeof text === 'string') ?? 'the server failed'
}
