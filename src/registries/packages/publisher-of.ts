import type { FastifyRequest } from 'fastify'
import type { Publisher } from './publish.ts'

/** Who publishes by a request. */
export function publisherOf(req: FastifyRequest): Publisher {
  return {
    role: req.project().accessContext,
    jobId: req.viewer.job?.id,
    limits: req.server.services.settings(),
  }
}
