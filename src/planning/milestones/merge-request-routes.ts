import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads } from '#platform/access/route-access.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { ByMilestone, Page } from './parameters.ts'
import { findMilestone, milestonesAt, milestonesFor } from './queries.ts'

/** Clients ask for this list on every milestone, even though merge requests do not exist yet. */
export const milestoneMergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    app.get(
      `/${kind}s/:id/milestones/:milestone_id/merge_requests`,
      {
        config: reads(subject('read_milestone'), { anonymous: true }),
        schema: {
          summary: `List the merge requests of a milestone of a ${kind}`,
          description: 'Empty: there are no merge requests yet.',
          params: ByMilestone,
          querystring: Page,
          response: { 200: Type.Array(Type.Object({})) },
        },
      },
      async (req, reply) => {
        await findMilestone(milestonesAt(milestonesFor(db), open(req).container), req.params.milestone_id)
        return paginateNothing(req, reply)
      },
    )
  }
}
