import type { FastifyRequest } from 'fastify'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Settings } from '#platform/settings/definitions.ts'

/** Who reads texts, and where. */
export interface MarkupReader {
  readonly db: Db
  readonly viewer: Viewer
  /** Where the web pages live. */
  readonly site: string
  readonly settings: Settings
}

/** Whoever sends a request. */
export const markupReader = ({ server, viewer, site }: FastifyRequest): MarkupReader => ({
  db: server.db,
  viewer,
  site,
  settings: server.services.settings(),
})
