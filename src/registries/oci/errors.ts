import type { FastifyReply, FastifyRequest } from 'fastify'
import { HttpError, meaningOf } from '#platform/http/errors.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import { WrongDigest } from './wrong-digest.ts'

/** The codes of the distribution specification, and those that registries have besides. */
type Code =
  | 'BLOB_UNKNOWN'
  | 'BLOB_UPLOAD_INVALID'
  | 'BLOB_UPLOAD_UNKNOWN'
  | 'DENIED'
  | 'DIGEST_INVALID'
  | 'MANIFEST_BLOB_UNKNOWN'
  | 'MANIFEST_INVALID'
  | 'MANIFEST_REFERENCED'
  | 'MANIFEST_UNKNOWN'
  | 'NAME_INVALID'
  | 'NAME_UNKNOWN'
  | 'PAGINATION_NUMBER_INVALID'
  | 'RANGE_INVALID'
  | 'SIZE_INVALID'
  | 'TOOMANYREQUESTS'
  | 'UNAUTHORIZED'
  | 'UNAVAILABLE'
  | 'UNKNOWN'
  | 'UNSUPPORTED'

/** A refusal in the form of the distribution specification. */
export class RegistryError extends HttpError {
  constructor(status: number, code: Code, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(status, JSON.stringify({ errors: [{ code, message, detail: null }] }), headers)
  }

  /** Whether it says that something is not there. */
  get isAbsence(): boolean {
    return this.status === 404
  }
}

export const nameUnknown = () =>
  new RegistryError(404, 'NAME_UNKNOWN', 'repository name not known to registry')
export const denied = (why = 'requested access to the resource is denied') =>
  new RegistryError(403, 'DENIED', why)
export const unsupported = (allow: string) =>
  new RegistryError(405, 'UNSUPPORTED', 'virtual registries are read-only', { allow })

const codes: Readonly<Record<number, Code>> = {
  401: 'UNAUTHORIZED',
  403: 'DENIED',
  404: 'NAME_UNKNOWN',
  405: 'UNSUPPORTED',
  413: 'SIZE_INVALID',
  416: 'RANGE_INVALID',
  422: 'DIGEST_INVALID',
  429: 'TOOMANYREQUESTS',
  503: 'UNAVAILABLE',
  507: 'DENIED',
}

function asRegistryError(error: unknown, request: FastifyRequest): RegistryError {
  if (error instanceof RegistryError) return error
  // An upstream may fail before it has sent the first byte of what it promised.
  if (error instanceof OutgoingFailed)
    return new RegistryError(503, 'UNAVAILABLE', 'the upstream did not send it all', { 'retry-after': '1' })
  if (error instanceof WrongDigest)
    return new RegistryError(502, 'DIGEST_INVALID', 'the upstream sent something else than was asked for')
  const known = meaningOf(error, request)
  if (known === undefined) {
    request.log.error({ err: error }, 'request failed')
    return new RegistryError(500, 'UNKNOWN', 'the server failed')
  }
  if (known.status === 503) request.log.warn({ err: error }, 'not available')
  return new RegistryError(known.status, codes[known.status] ?? 'UNKNOWN', sentenceOf(known), known.headers)
}

function sentenceOf({ body }: HttpError): string {
  if (typeof body === 'string') return body
  const { message, error_description: description } = body
  return description ?? (typeof message === 'string' ? message : JSON.stringify(message))
}

/** Headers of what was about to be sent. */
const OF_CONTENT = [
  'accept-ranges',
  'docker-content-digest',
  'etag',
  'warning',
  'x-virtual-registry-cache',
] as const

/** Writes a refusal. HEAD gets its headers alone. */
export function writeRegistryError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { status, headers, body } = asRegistryError(error, request)
  for (const name of OF_CONTENT) reply.removeHeader(name)
  reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/json')
    .serializer(String)
    .send(request.method === 'HEAD' ? '' : body)
}
