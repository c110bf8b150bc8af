import type { FastifyPluginAsync } from 'fastify'
import { outside } from '#access/route-access.ts'

/**
 * Pages for load balancers, orchestrators and Prometheus, which have no credentials. Health and liveness only say
 * that the process answers: restarting it would not help when the database is away.
 */
export const healthRoutes: FastifyPluginAsync = async (app) => {
  const { readiness, metrics } = app.services
  app.addHook('onRequest', async (_, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.get('/-/health', { config: outside }, async (_, reply) =>
    reply.type('text/plain; charset=utf-8').send('Forgelet is up.\n'),
  )

  app.get('/-/liveness', { config: outside }, async () => ({ status: 'ok' }))

  app.get('/-/readiness', { config: outside }, async (_, reply) => {
    const parts = await readiness.parts()
    const ready = [...parts.values()].every(({ status }) => status !== 'failed')
    const checks = [...parts].map(([part, status]) => [`${part}_check`, [status]])
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : 'failed', ...Object.fromEntries(checks) })
  })

  app.get('/-/metrics', { config: outside }, async (_, reply) =>
    reply.type(metrics.contentType).send(await metrics.print()),
  )
}
