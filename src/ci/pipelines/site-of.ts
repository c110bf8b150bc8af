import type { FastifyRequest } from 'fastify'
import type { ProjectSite } from '#code/pipelines/entity.ts'

/** Where the pages of the project of a request are. */
export const siteOf = (req: FastifyRequest): ProjectSite => ({
  site: req.site,
  fullPath: req.project().container.full_path,
})
