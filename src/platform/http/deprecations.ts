import type { FastifyInstance, onSendHookHandler } from 'fastify'

/** Why a route should not be used any more. It stays all the same. */
export interface Deprecation {
  /** The day on which GitLab declared it deprecated: `2024-05-16`. */
  readonly since: string
  /** What to use instead, as a sentence can end with it. */
  readonly successor: string
}

/** The same for readers of the API's description. */
export const inWords = ({ since, successor }: Deprecation): string =>
  `Deprecated since ${since} in favor of ${successor}.`

/** Every answer of a deprecated route, a refusal too, says since when it is deprecated (RFC 9745). */
export function announceDeprecations(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const deprecated = route.schema?.deprecated
    if (deprecated === undefined) return
    const since = `@${Date.parse(deprecated.since) / 1000}`
    const announce: onSendHookHandler = (_request, reply, payload, done) => {
      reply.header('deprecation', since)
      done(null, payload)
    }
    route.onSend = [route.onSend ?? [], announce].flat()
  })
}
