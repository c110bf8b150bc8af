import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, writes } from '#platform/access/route-access.ts'
import { badRequest } from '#platform/http/errors.ts'
import { findBareIssue } from './bare-issue.ts'
import { ByIssue } from './parameters.ts'

/** An answer that is never given: every to-do is refused. */
const Todo = Type.Object({}, { description: 'Never happens yet: see 400.' })

export const issueTodoRoute: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.post(
    '/projects/:id/issues/:issue_iid/todo',
    {
      config: writes(project('subscribe_issue')),
      schema: {
        summary: 'Put an issue on your to-do list',
        description: 'There are no to-do lists yet: answers 400 once the issue is found.',
        params: ByIssue,
        response: { 201: Todo },
      },
    },
    async (req) => {
      await findBareIssue(db, req.viewer, req.project(), req.params.issue_iid)
      throw badRequest('there are no to-do lists yet')
    },
  )
}
