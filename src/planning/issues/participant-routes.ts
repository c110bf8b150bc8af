import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { paginate } from '#platform/http/pagination.ts'
import { presentUserBasic, UserBasic } from '#identity/users/basic.ts'
import { findBareIssue } from './bare-issue.ts'
import { ByIssue } from './parameters.ts'
import { participantOrder, participantsOf } from './participants.ts'

/** The participants of an issue. */
export const issueParticipantRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/issues/:issue_iid/participants',
    {
      config: reads(project('read_issue'), { anonymous: true }),
      schema: {
        summary: 'List the participants of an issue',
        description: 'The author, the assignees, everybody who commented, and everybody who is mentioned.',
        params: ByIssue,
        querystring: Type.Object(pageParameters),
        response: { 200: Type.Array(UserBasic) },
      },
    },
    async (req, reply) => {
      const authorized = req.project()
      const { id } = await findBareIssue(db, req.viewer, authorized, req.params.issue_iid)
      const people = await paginate(
        req,
        reply,
        participantsOf(db, req.viewer, authorized, id),
        participantOrder,
      )
      return people.map((row) => presentUserBasic(row, req.site))
    },
  )
}
