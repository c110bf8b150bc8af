import type { FastifyPluginAsync } from 'fastify'
import { outside } from '#platform/access/route-access.ts'
import { HttpError } from '#platform/http/errors.ts'
import { watchers } from './watchers.ts'

/**
 * Pages for load balancers, orchestrators and Prometheus. Health and liveness only say that the process answers,
 * because a restart would not bring an absent database back. Everybody can see whether the server is ready; only
 * watchers see the parts and the metrics.
 */
export const healthRoutes: FastifyPluginAsync = async (app) => {
  const { readiness, metrics, config } = app.services
  const mayWatch = watchers(config)
  app.addHook('onRequest', async (_, reply) => {
    reply.header('cache-control', 'no-store')
  })

  app.get('/-/health', { config: outside }, async (_, reply) =>
    reply.type('text/plain; charset=utf-8').send('Forgelet is up.\n'),
  )

  app.get('/-/liveness', { config: outside }, async () => ({ status: 'ok' }))

  app.get('/-/readiness', { config: outside }, async (request, reply) => {
    const parts = await readiness.parts()
    const ready = [...parts.values()].every(({ status }) => status !== 'failed')
    const shown = mayWatch(request) ? [...parts] : []
    const checks = shown.map(([part, status]) => [`${part}_check`, [status]])
    return reply
      .code(ready ? 200 : 503)
      .send({ status: ready ? 'ok' : 'failed', ...Object.fromEntries(checks) })
  })

  app.get('/-/metrics', { config: outside }, async (request, reply) => {
    if (!mayWatch(request)) throw new HttpError(404, { error: '404 Not Found' })
    return reply.type(metrics.contentType).send(await metrics.print())
  })
}
