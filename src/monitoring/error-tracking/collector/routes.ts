import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { raw } from '#platform/http/body-kind.ts'
import { leaveUncompressed } from '#platform/http/compression.ts'
import { integer, secret } from '#platform/http/schema.ts'
import { COLLECTOR } from '../entity.ts'
import { Collector, type BodyForm, type SdkRequest } from './collector.ts'
import { MOST_BYTES } from './decode.ts'
import { writeRefusal } from './refusal.ts'

const params = Type.Object({ project_id: integer({ minimum: 1 }) })

const ENVELOPE_TYPE = 'application/x-sentry-envelope'

/** An event in a query, which has no room for a longer one. */
const EventInQuery = Type.Object({
  // It holds personal data.
  sentry_data: secret({ max: 8_000 }),
  sentry_key: Type.Optional(secret({ max: 128 })),
})

/** An image of one transparent pixel. */
const PIXEL = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

/** What browsers may read of an answer. */
const EXPOSED = 'X-Sentry-Error, X-Sentry-Rate-Limits, Retry-After'

/** Where the SDKs of Sentry send what they have, by the DSN of a client key. */
export const collectorRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const collector = new Collector(app.services, app.log)
  app.addHook('onClose', () => collector.close())
  app.addHook('onRequest', (request, reply, done) => {
    leaveUncompressed(request)
    reply.header('access-control-expose-headers', EXPOSED)
    // Browsers of other sites read the answer.
    reply.header('cross-origin-resource-policy', 'cross-origin')
    done()
  })

  const options = {
    config: { ...outside, ...raw(MOST_BYTES) },
    schema: { params },
    errorHandler: (error: unknown, request: FastifyRequest, reply: FastifyReply) =>
      writeRefusal(error, request, reply),
  }
  const path = `${COLLECTOR}/api/:project_id`
  const take = (
    req: FastifyRequest,
    reply: FastifyReply,
    projectId: number,
    body: SdkRequest['body'],
    form: BodyForm,
  ) => {
    const { headers, query, ip } = req
    const claim = app.bodyMemory.for(reply.raw)
    return collector.take({ projectId, headers, query, ip, body, claim }, form)
  }

  app.post(`${path}/envelope`, options, async (req, reply) => {
    await using body = req.bodyBytes()
    return await take(req, reply, req.params.project_id, body, 'envelope')
  })

  // Of SDKs from before envelopes: an event alone.
  app.post(`${path}/store`, options, async (req, reply) => {
    await using body = req.bodyBytes()
    const typed = req.headers['content-type']?.startsWith(ENVELOPE_TYPE) === true
    return await take(req, reply, req.params.project_id, body, typed ? 'either' : 'event')
  })

  // Of pages from before browsers could send to other sites: they show the answer as an image.
  app.get(
    `${path}/store`,
    { ...options, exposeHeadRoute: false, schema: { params, querystring: EventInQuery } },
    async (req, reply) => {
      const bytes = Buffer.from(req.query.sentry_data)
      const body = { beginning: async () => bytes, all: async () => bytes }
      await take(req, reply, req.params.project_id, body, 'event')
      return reply.type('image/gif').header('cache-control', 'no-store').send(PIXEL)
    },
  )
}
