import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Job, presentJob } from '#code/jobs/entity.ts'
import { usersOf } from '#code/jobs/queries.ts'
import { authorizeProject } from '#platform/access/authorize.ts'
import { anyone, reads } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { findJob } from '../jobs/queries.ts'

/** What a job learns of itself by its token. */
export const ownJobRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db, services } = app

  app.get(
    '/job',
    {
      config: reads(anyone, { jobToken: true }),
      schema: {
        summary: 'Get the job of a job token',
        description: 'Other credentials belong to no job: 404.',
        response: { 200: Job },
      },
    },
    async (req) => {
      const job = req.identity?.job
      if (job === undefined) throw notFound('Job')
      const { viewer, site } = req
      const { container } = await authorizeProject(db, viewer, String(job.projectId), 'read_project')
      const row = await findJob(db, job.projectId, job.id)
      return presentJob(row, {
        site,
        fullPath: container.full_path,
        viewer,
        now: services.clock.now().toISOString(),
        users: await usersOf(db, [row]),
      })
    },
  )
}
