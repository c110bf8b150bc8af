import type { FastifyRequest } from 'fastify'
import type { PackageAudience } from './entity.ts'

/** What whoever asks may see of the packages of the project that a request names. */
export function audienceOf(req: FastifyRequest): PackageAudience {
  const { container, can } = req.project()
  return {
    site: req.site,
    fullPath: container.full_path,
    mayDelete: can('destroy_package'),
    seesPipelines: can('read_pipeline'),
  }
}
