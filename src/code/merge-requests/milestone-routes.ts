import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { reads } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { ByMilestone } from '#planning/milestones/by-milestone.ts'

import { findMilestone, milestonesAt, milestonesFor } from '#planning/milestones/queries.ts'
import type { ListScope } from '#planning/noteables/list/scope.ts'
import { ListedMergeRequest } from './list/entity.ts'
import { listMergeRequests } from './list/list-merge-requests.ts'
import { ofGroup, ofProject } from './list/listed-merge-requests.ts'

/** The merge requests of a milestone, as far as the caller may read them. */
export const milestoneMergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    app.get(
      `/${kind}s/:id/milestones/:milestone_id/merge_requests`,
      {
        config: reads(subject('read_milestone'), { anonymous: true }),
        schema: {
          summary: `List the merge requests of a milestone of a ${kind}`,
          params: ByMilestone,
          querystring: Type.Object(pageParameters),
          response: { 200: Type.Array(ListedMergeRequest) },
        },
      },
      async (req, reply) => {
        const milestones = milestonesAt(milestonesFor(db), open(req).container)
        const { id } = await findMilestone(milestones, req.params.milestone_id)
        const scope = scopeOf(req)
        if (scope === undefined) return paginateNothing(req, reply)
        return listMergeRequests(req, reply, scope, {
          test: sql<boolean>`i.milestone_id = ${id}`,
          selectivity: 'few',
          source: { ids: sql`select x.id from merge_requests x where x.milestone_id = ${id}`, exact: true },
        })
      },
    )
  }
}

/** Undefined where the caller reads milestones, but no merge requests. */
function scopeOf(req: FastifyRequest): ListScope | undefined {
  const { viewer, authorizedProject } = req
  if (authorizedProject === undefined) return ofGroup(viewer, req.group())
  return authorizedProject.can('read_merge_request') ? ofProject(viewer, authorizedProject) : undefined
}
