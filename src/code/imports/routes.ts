import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { ById } from '#platform/http/schema.ts'
import { audienceOf } from '#tenancy/projects/audience.ts'
import { findProject } from '#tenancy/projects/list/read.ts'
import { presentProject } from '#tenancy/projects/present-projects.ts'
import { presentImport, ProjectImport } from './entity.ts'

/** Routes for imports. */
export const importRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.get(
    '/projects/:id/import',
    {
      config: reads(project('read_project')),
      schema: {
        summary: 'Get how far the import of a project is',
        description: '`import_error` is for Maintainers and above.',
        params: ById,
        response: { 200: ProjectImport },
      },
    },
    async (req) => {
      const row = await findProject(app.db, req.viewer, req.project().container.id)
      return presentImport(presentProject(row, audienceOf(req)), row.import?.kind ?? null)
    },
  )
}
