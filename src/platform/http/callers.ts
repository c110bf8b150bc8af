import type { FastifyInstance, FastifyRequest } from 'fastify'
import { onBehalfOf } from '#platform/db/caller.ts'
import { networkOf } from './addresses.ts'

/** Everything that a request does is on behalf of its caller, who shares the database with others (fair-share.ts). */
export function identifyCallers(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _, done) => onBehalfOf(() => callerOf(request), done))
}

/**
 * Who sent a request: the user, even when they act as another one; the address of anonymous callers. Until the user is
 * known, the credential stands for them, so that the look-ups of people behind one address do not wait for each other.
 */
function callerOf({ identity, recognized, headers, ip }: FastifyRequest): string {
  if (identity !== undefined) return `user ${(identity.sudoBy ?? identity.user).id}`
  const { authorization, cookie, 'private-token': token } = headers
  const credential = recognized ? undefined : (token ?? authorization ?? cookie)
  return credential === undefined ? networkOf(ip) : String(credential)
}
