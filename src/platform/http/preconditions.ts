import type { FastifyRequest } from 'fastify'
import { preconditionFailed } from './errors.ts'
import { iso } from './time.ts'

/**
 * Refuses a change when the resource changed after the moment in `If-Unmodified-Since` (RFC 9110 §13.1.4; whole
 * seconds, an unreadable date is ignored).
 * @throws 412, which the route declares.
 */
export function assertUnmodified(request: FastifyRequest, updatedAt: string): void {
  const { url, schema } = request.routeOptions
  if (!schema?.refuses?.includes(412)) throw new Error(`${request.method} ${url} does not declare 412`)
  const since = Date.parse(request.headers['if-unmodified-since'] ?? '')
  if (Number.isNaN(since)) return
  const changed = Math.floor(Date.parse(iso(updatedAt)) / 1000) * 1000
  if (changed > since) throw preconditionFailed()
}
