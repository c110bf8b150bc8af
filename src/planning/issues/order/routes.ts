import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, writes } from '#platform/access/route-access.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { integer, rules } from '#platform/http/schema.ts'
import { Issue } from '../entity.ts'
import { ByIssue } from '../by-issue.ts'
import { audienceOf, presentIssue } from '../present.ts'
import { findIssue } from '../queries.ts'
import { reorderIssue } from './reorder-issue.ts'

const Neighbours = Type.Object(
  {
    move_after_id: Type.Optional(
      integer({ minimum: 1, description: 'The id of the issue that comes after this one.' }),
    ),
    move_before_id: Type.Optional(
      integer({ minimum: 1, description: 'The id of the issue that comes before this one.' }),
    ),
  },
  rules({ atLeastOneOf: ['move_after_id', 'move_before_id'] }),
)

/** The manual order of issues: lists with `order_by=relative_position`. */
export const issueOrderRoutes: FastifyPluginAsyncTypebox = async (app) => {
  app.put(
    '/projects/:id/issues/:issue_iid/reorder',
    {
      config: writes(project('admin_issue')),
      schema: {
        summary: 'Put an issue before or after another one',
        description:
          'The other issues may be in this project, or in another one of the same top-level group. Lists with ' +
          '`order_by=relative_position` show this order; issues without a position come last.',
        params: ByIssue,
        body: Neighbours,
        refuses: [412, 422],
        response: { 200: Issue },
      },
    },
    async (req) => {
      const issue = await req.write(async (tx) => {
        const found = await findIssue(tx.db, req.viewer, req.project(), req.params.issue_iid)
        assertUnmodified(req, found.updated_at)
        await reorderIssue(tx, req.viewer, found, req.body)
        return found
      })
      return presentIssue(issue, audienceOf(req))
    },
  )
}
