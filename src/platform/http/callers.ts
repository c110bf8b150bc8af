import type { FastifyInstance, FastifyRequest } from 'fastify'
import { anonymousAt, onBehalfOf } from '#platform/shares/caller.ts'
import { networkOf } from './addresses.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The name of a caller who is no user, such as a deploy token. */
    callerName: string | undefined
  }
}

/** Everything that a request does is on behalf of its caller, who shares what there is with others (shares.ts). */
export function identifyCallers(app: FastifyInstance): void {
  app.decorateRequest('callerName', undefined)
  app.addHook('onRequest', (request, _, done) => onBehalfOf(() => callerOf(request), done))
}

/**
 * Who sent a request: the user, even when they act as another one; the address of anonymous callers. Until the user is
 * known, the credential stands for them, so that the look-ups of people behind one address do not wait for each other.
 */
function callerOf(request: FastifyRequest): string {
  const { identity, callerName, recognized, headers, ip } = request
  if (identity !== undefined) return `user ${(identity.sudoBy ?? identity.user).id}`
  if (callerName !== undefined) return callerName
  const { authorization, 'private-token': token, 'job-token': jobToken } = headers
  const cookie = readsSession(request) ? headers.cookie : undefined
  const credential = recognized ? undefined : (token ?? authorization ?? jobToken ?? cookie)
  return credential === undefined ? anonymousAt(networkOf(ip)) : `credential ${String(credential)}`
}

/** Whether a route looks at the browser session. Elsewhere, nobody finds out whether a cookie is anybody's. */
function readsSession({ routeOptions }: FastifyRequest): boolean {
  const { access } = routeOptions.config
  return access !== undefined && (access.outside !== true || access.page !== undefined)
}
