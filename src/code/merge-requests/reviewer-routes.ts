import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { type ListOrder, pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { entity, moment, oneOf } from '#platform/http/schema.ts'
import { iso } from '#platform/http/time.ts'
import { presentUserBasic, UserBasic, userBasicColumns } from '#identity/users/basic.ts'
import { findBareMergeRequest } from './bare-merge-request.ts'
import { ByMergeRequest } from './parameters.ts'

/** A reviewer, and how far their review is. */
export const Reviewer = entity('Reviewer', {
  user: UserBasic,
  state: oneOf(['unreviewed', 'review_started', 'reviewed', 'requested_changes', 'approved', 'unapproved']),
  created_at: moment(),
})

const reviewerOrder: ListOrder = {
  of: 'Reviewer',
  id: 'u.id',
  columns: { id: { column: 'u.id' } },
  by: 'id',
  sort: 'asc',
}

/** The reviewers of a merge request. */
export const reviewerRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/merge_requests/:merge_request_iid/reviewers',
    {
      config: reads(project('read_merge_request'), { anonymous: true }),
      schema: {
        summary: 'List the reviewers of a merge request',
        params: ByMergeRequest,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(Reviewer) },
      },
    },
    async (req, reply) => {
      const { merge_request_iid } = req.params
      const { id } = await findBareMergeRequest(db, req.viewer, req.project(), merge_request_iid)
      const query = db
        .selectFrom('merge_request_reviewers as r')
        .innerJoin('users as u', 'u.id', 'r.user_id')
        .where('r.merge_request_id', '=', id)
        .select(userBasicColumns.map((column) => `u.${column}` as const))
        .select(['r.state as review_state', 'r.created_at as requested_at'])
      const rows = await paginate(req, reply, query, reviewerOrder)
      return rows.map((row) => ({
        user: presentUserBasic(row, req.site),
        state: row.review_state,
        created_at: iso(row.requested_at),
      }))
    },
  )
}
