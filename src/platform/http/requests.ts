import type { FastifyInstance } from 'fastify'
import { authorizeContainer } from './authorize-container.ts'
import { type BodyKind, parameters } from './body-kind.ts'
import { answerAsDeclared } from './declared-success.ts'
import { receive, recognizeEarly, recognizeFully } from './recognize.ts'
import { assertOwnForm, recognizeBrowserSession } from './browser-sessions.ts'
import { collectRoutes } from './declared-routes.ts'
import { assertHost } from './host.ts'
import { readQueryOf } from './query.ts'
import { decorateRequests } from './request-decorators.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** How the route accepts its body; by default as parameters. */
    body?: BodyKind
  }
}

/**
 * Prepares every request in the order that decides which refusal wins: transport, route, limits of the address,
 * credentials, scope, limit of the user, body, sudo, tier, feature flag, parameters (Fastify's validation runs
 * between the last two hooks), resource, ability.
 */
export function prepareRequests(app: FastifyInstance): void {
  decorateRequests(app)
  collectRoutes(app)
  app.addHook('onRequest', async (request, reply) => {
    assertHost(request)
    readQueryOf(request)
    const { access } = request.routeOptions.config
    if (access?.page !== undefined) await recognizeBrowserSession(request, access.page)
    else if (access !== undefined && !access.outside) await recognizeEarly(request, reply, access)
  })
  app.addHook('preValidation', async (request, reply) => {
    const { access, body = parameters } = request.routeOptions.config
    if (access === undefined) return
    if (access.outside) {
      request.body = await receive(request, reply, body)
      if (access.page !== undefined) assertOwnForm(request)
    } else await recognizeFully(request, reply, access, body)
  })
  app.addHook('preHandler', async (request) => {
    const { access } = request.routeOptions.config
    if (access !== undefined) await authorizeContainer(request, access)
  })
  answerAsDeclared(app)
}
