import type { FastifyRequest } from 'fastify'
import { preconditionFailed } from './errors.ts'
import { innerOf } from './inner-requests.ts'
import { iso } from './time.ts'

/**
 * Refuses a change when the resource changed after the moment in `If-Unmodified-Since` (RFC 9110 §13.1.4; whole
 * seconds, an unreadable date is ignored). A page that asks names the moment as it was told it, with its milliseconds: of two changes at
 * one time, the later one may have begun first, and bear the earlier moment.
 * @throws 412, which the route declares.
 */
export function assertUnmodified(request: FastifyRequest, updatedAt: string): void {
  const { url, schema } = request.routeOptions
  if (!schema?.refuses?.includes(412)) throw new Error(`${request.method} ${url} does not declare 412`)
  const since = Date.parse(request.headers['if-unmodified-since'] ?? '')
  if (Number.isNaN(since)) return
  const exactly = Date.parse(iso(updatedAt))
  const isChanged =
    innerOf(request) === undefined ? Math.floor(exactly / 1000) * 1000 > since : exactly !== since
  if (isChanged) throw preconditionFailed()
}
