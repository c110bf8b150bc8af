import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginateNothing } from '#platform/http/pagination.ts'
import { findBareIssue } from './bare-issue.ts'
import { ByIssue } from './parameters.ts'

const summaries = {
  related_merge_requests: 'List the merge requests that mention an issue',
  closed_by: 'List the merge requests that close an issue when they are merged',
} as const

/** Clients ask for these lists on every issue, even though merge requests do not exist yet. */
export const issueMergeRequestRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const list of ['related_merge_requests', 'closed_by'] as const) {
    app.get(
      `/projects/:id/issues/:issue_iid/${list}`,
      {
        config: reads(project('read_issue'), { anonymous: true }),
        schema: {
          summary: summaries[list],
          description: 'Empty: there are no merge requests yet.',
          params: ByIssue,
          querystring: Type.Object(pageParameters),
          response: { 200: Type.Array(Type.Object({})) },
        },
      },
      async (req, reply) => {
        await findBareIssue(db, req.viewer, req.project(), req.params.issue_iid)
        return paginateNothing(req, reply)
      },
    )
  }
}
