import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { notFound } from '#platform/refusals.ts'
import { entity, nullable } from '#platform/http/schema.ts'
import { findBareIssue } from './bare-issue.ts'
import { ByIssue } from './by-issue.ts'

/** The user agent with which something was written, for administrators who look into abuse. */
export const UserAgentDetail = entity('UserAgentDetail', {
  user_agent: nullable(Type.String()),
  ip_address: nullable(Type.String()),
  akismet_submitted: Type.Boolean({
    description: 'Always false: the server sends nothing to other services.',
  }),
})

export const issueUserAgentRoute: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/issues/:issue_iid/user_agent_detail',
    {
      config: reads(project('read_issue_user_agent')),
      schema: {
        summary: 'Get the address and program that an issue was opened with',
        params: ByIssue,
        response: { 200: UserAgentDetail },
      },
    },
    async (req) => {
      const { user_agent, ip } = await findBareIssue(db, req.viewer, req.project(), req.params.issue_iid)
      if (user_agent === null && ip === null) throw notFound('UserAgentDetail')
      return { user_agent, ip_address: ip, akismet_submitted: false }
    },
  )
}
