import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { outside } from '#platform/access/route-access.ts'
import { raw } from '#platform/http/body-kind.ts'
import { leaveUncompressed } from '#platform/http/compression.ts'
import { integer } from '#platform/http/schema.ts'
import { COLLECTOR } from '../entity.ts'
import { Collector } from './collector.ts'
import { MOST_BYTES } from './decode.ts'
import { readEnvelope } from './envelope.ts'
import { writeRefusal } from './refusal.ts'

const params = Type.Object({ project_id: integer({ minimum: 1 }) })

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
  const sentBy = (req: FastifyRequest, reply: FastifyReply, projectId: number) => ({
    projectId,
    headers: req.headers,
    query: req.query,
    ip: req.ip,
    body: req.bodyBytes(),
    claim: app.bodyMemory.for(reply.raw),
  })

  app.post(`${path}/envelope`, options, async (req, reply) => {
    const sent = sentBy(req, reply, req.params.project_id)
    return collector.take(sent, (bytes) => readEnvelope(bytes))
  })

  // Of SDKs from before envelopes: an event alone.
  app.post(`${path}/store`, options, async (req, reply) => {
    const sent = sentBy(req, reply, req.params.project_id)
    return collector.take(sent, (payload) => ({ head: {}, items: [{ type: 'event', payload }] }))
  })
}
