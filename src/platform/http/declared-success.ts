import type { FastifyInstance, FastifySchema, preHandlerHookHandler } from 'fastify'

/**
 * Answers with the success that a route declares, where it declares exactly one: its handler returns the body alone,
 * or nothing for 204. A handler that chooses among several, or answers 304, sets the status by itself.
 */
export function answerAsDeclared(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const status = declaredSuccess(route.schema)
    if (status === undefined || status === 200) return
    const answer: preHandlerHookHandler = (_, reply, done) => {
      reply.code(status)
      done()
    }
    route.preHandler = [route.preHandler ?? [], answer].flat()
  })
}

function declaredSuccess({ response }: FastifySchema = {}): number | undefined {
  const successes = Object.keys(response ?? {}).filter((status) => /^2\d\d$/.test(status))
  return successes.length === 1 ? Number(successes[0]) : undefined
}
