import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Viewer } from '#platform/access/viewer.ts'

/** Who reads texts, and where. */
export interface MarkupReader {
  readonly services: FastifyInstance['services']
  readonly viewer: Viewer
  /** Where the web pages live. */
  readonly site: string
}

/** Whoever sends a request. */
export const markupReader = ({ server, viewer, site }: FastifyRequest): MarkupReader => ({
  services: server.services,
  viewer,
  site,
})
