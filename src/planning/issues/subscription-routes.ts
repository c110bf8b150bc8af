import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { project, writes } from '#platform/access/route-access.ts'
import { NoContent } from '#platform/http/schema.ts'
import { IssueSingle } from './entity.ts'
import { ByIssue } from './parameters.ts'
import { audienceOf, presentSingleIssue } from './present.ts'
import { findIssue } from './queries.ts'
import { chooseSubscription } from './subscribe-issue.ts'

/** Subscribing to issues. */
export const issueSubscriptionRoutes: FastifyPluginAsyncTypebox = async (app) => {
  for (const [verb, summary, subscribed] of [
    ['subscribe', 'Subscribe to an issue', true],
    ['unsubscribe', 'Unsubscribe from an issue', false],
  ] as const) {
    app.post(
      `/projects/:id/issues/:issue_iid/${verb}`,
      {
        config: writes(project('subscribe_issue')),
        schema: {
          summary,
          description: 'Participants of an issue are subscribed automatically.',
          params: ByIssue,
          response: { 201: IssueSingle, 304: NoContent },
        },
      },
      async (req, reply) => {
        const { issue, changed } = await req.write(async (tx) => {
          const found = await findIssue(tx.db, req.viewer, req.project(), req.params.issue_iid)
          return { issue: found, changed: await chooseSubscription(tx, found, req.user().id, subscribed) }
        })
        if (!changed) return reply.code(304).send()
        return reply.code(201).send(presentSingleIssue({ ...issue, subscribed }, audienceOf(req)))
      },
    )
  }
}
