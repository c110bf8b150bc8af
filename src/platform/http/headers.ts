import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { innerOf, noteSchema } from './inner-requests.ts'
import { isCompressible, leaveUncompressed } from './compression.ts'

const EXPOSED = [
  'Link, X-Total, X-Total-Pages, X-Per-Page, X-Page, X-Next-Page, X-Prev-Page, X-Next-Cursor, X-Prev-Cursor',
  'X-Request-Id, X-Runtime, ETag, Retry-After, Deprecation',
  'RateLimit-Limit, RateLimit-Observed, RateLimit-Remaining, RateLimit-Reset, RateLimit-Name',
  'RateLimit-ResetTime, RateLimit, RateLimit-Policy',
].join(', ')

/** Headers that a route may override. */
const DEFAULTS = [
  ['cache-control', 'max-age=0, private, must-revalidate'],
  ['referrer-policy', 'strict-origin-when-cross-origin'],
] as const

/** The same, for browsers that show a page of another site. They name it; other clients need none of these. */
const FOR_OTHER_SITES = [
  ['access-control-allow-origin', '*'],
  ['access-control-expose-headers', EXPOSED],
] as const

/** Makes browsers use https alone for a year, whatever a link says (RFC 6797). Only for this host, none below it. */
const HSTS = `max-age=${365 * 86_400}`

/** The headers of every answer: ids, caching, safety, CORS; and 304 for what the client already has. */
export function sendHeaders(app: FastifyInstance): void {
  // Only if the operator configured https. Elsewhere a browser that used https once may have no other way.
  const byHttps = app.services.config.externalUrl?.startsWith('https:') ?? false
  app.addHook('onSend', (request, reply, payload, done) => {
    if (innerOf(request) !== undefined) {
      noteSchema(request, reply)
      return done(null, payload)
    }
    reply
      .header('x-request-id', request.id)
      .header('x-gitlab-meta', `{"correlation_id":"${request.id}","version":"1"}`)
      .header('x-runtime', (reply.elapsedTime / 1000).toFixed(6))
      .header('x-content-type-options', 'nosniff')
      .header('x-frame-options', 'SAMEORIGIN')
    if (byHttps) reply.header('strict-transport-security', HSTS)
    setUnlessSet(reply, DEFAULTS)
    if (request.headers.origin !== undefined) setUnlessSet(reply, FOR_OTHER_SITES)
    // Fastify adds a charset, but clients compare the exact text.
    if (String(reply.getHeader('content-type') ?? '').startsWith('application/json')) {
      reply.header('content-type', 'application/json')
    }
    const compressible = isCompressible(request, reply)
    if (!compressible) leaveUncompressed(request)
    reply.header('vary', compressible ? 'Origin, accept-encoding' : 'Origin')
    if (reply.statusCode === 204 || reply.statusCode === 304) {
      reply.removeHeader('content-type')
      done(null, undefined)
    } else {
      done(null, unlessKnown(request, reply, payload))
    }
  })
}

function setUnlessSet(
  reply: FastifyReply,
  headers: readonly (readonly [name: string, value: string])[],
): void {
  for (const [name, value] of headers) {
    if (reply.getHeader(name) === undefined) reply.header(name, value)
  }
}

/**
 * Marks a successful GET with a weak ETag, and answers 304 when the client sends the same ETag. A weak one holds for
 * every encoding of an answer.
 */
function unlessKnown(request: FastifyRequest, reply: FastifyReply, payload: unknown): unknown {
  if (request.method !== 'GET' && request.method !== 'HEAD') return payload
  if (reply.statusCode !== 200 || (typeof payload !== 'string' && !Buffer.isBuffer(payload))) return payload
  const body = encodedOnce(payload)
  // A client that may not keep an answer has nothing to ask about again.
  if (reply.getHeader('cache-control') === 'no-store') return body
  const etag = String(reply.getHeader('etag') ?? entityTag(body))
  reply.header('etag', etag)
  if (!isKnown(request, etag)) return body
  reply.code(304).removeHeader('content-type').removeHeader('content-length')
  leaveUncompressed(request)
  // Fastify sends a length with anything but these, null where it is GET and a stream where it is HEAD.
  return request.method === 'GET' ? null : Readable.from([])
}

const entityTag = (body: string | Buffer) => `W/"${hash('sha1', body, 'hex')}"`

/** The bytes of a long text. Otherwise its hash, its compression and the connection would each encode it. */
const encodedOnce = (body: string | Buffer) =>
  typeof body === 'string' && body.length > 64 * 1024 ? Buffer.from(body) : body

/** Sends a text that is the same for everybody. It is made and hashed for the first request. */
export function fixedText(type: string, make: () => string): (reply: FastifyReply) => FastifyReply {
  let made: { readonly bytes: Buffer; readonly etag: string } | undefined
  return (reply) => {
    if (made === undefined) {
      const bytes = Buffer.from(make())
      made = { bytes, etag: entityTag(bytes) }
    }
    return reply.header('etag', made.etag).type(type).send(made.bytes)
  }
}

/** Whether the client already has what this ETag stands for. */
export function isKnown({ headers }: Pick<FastifyRequest, 'headers'>, etag: string): boolean {
  const header = headers['if-none-match']
  if (header === undefined) return false
  if (header === '*') return true
  const weak = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.split(',').some((tag) => weak(tag) === weak(etag))
}

/** Answers without a body, as to HEAD, with the headers that are already set. */
export function sendHead(reply: FastifyReply): undefined {
  reply.send()
}

/** The client's own request id if it is harmless in logs and headers, else a new one. */
export function requestIds(prefix: string): (raw: { headers: NodeJS.Dict<string | string[]> }) => string {
  let count = 0
  return ({ headers }) => {
    const given = headers['x-request-id']
    if (typeof given === 'string' && /^[\w.:+=/-]{1,128}$/.test(given)) return given
    count += 1
    return `${prefix}-${count.toString(36)}`
  }
}
