import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { group, project, reads } from '#access/route-access.ts'
import { paginateNothing } from '#http/pagination.ts'
import { ByMilestone, Page } from './parameters.ts'
import { findMilestone, milestonesAt, milestonesFor } from './queries.ts'

/** Clients ask for this list on every milestone, also before there are any merge requests. */
export const milestoneMergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const kind of ['project', 'group'] as const) {
    const subject = kind === 'project' ? project('read_milestone') : group('read_milestone')
    app.get(
      `/${kind}s/:id/milestones/:milestone_id/merge_requests`,
      {
        config: reads(subject, { anonymous: true }),
        schema: {
          summary: `List the merge requests of a milestone of a ${kind}`,
          description: 'Empty: there are no merge requests yet.',
          params: ByMilestone,
          querystring: Page,
          response: { 200: Type.Array(Type.Object({})) },
        },
      },
      async (req, reply) => {
        const { place } = kind === 'project' ? req.project() : req.group()
        await findMilestone(milestonesAt(milestonesFor(db), place), req.params.milestone_id)
        return paginateNothing(req, reply)
      },
    )
  }
}
