import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ByIssue } from '../by-issue.ts'
import { audienceOf } from '../present.ts'
import { findIssue } from '../queries.ts'
import { lackedBy } from '#planning/noteables/items/lacking.ts'
import { IssueLink, presentLink, presentRelatedIssues, RelatedIssue } from './entity.ts'
import { linkIssues } from './link-issues.ts'
import { assertMayUnlink, openTarget } from './open-target.ts'
import { ByLink, NewLink } from './parameters.ts'
import { findLink, relatedIssues, statements } from './queries.ts'
import { unlinkIssues } from './unlink-issues.ts'

/** Links between issues, also across projects. */
export const issueLinkRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/issues/:issue_iid/links',
    {
      config: reads(project('read_issue')),
      schema: {
        summary: 'List the issues that are linked to an issue',
        description:
          'The list has no pages. It shows the issues in the order in which they were linked, without those that you cannot see.',
        params: ByIssue,
        response: { 200: Type.Array(RelatedIssue) },
      },
    },
    async (req, reply) => {
      const { id } = await findIssue(db, req.viewer, req.project(), req.params.issue_iid)
      const related = (longest?: number) => relatedIssues(db, req.viewer, id, longest)
      const long = {
        rows: await statements.run(db, related(inlineBytes())),
        lacks: lackedBy,
        whole: (ids: readonly number[]) => related().where(isAnyOf('i.id', ids)).execute(),
      }
      return sendLong(req, reply, long, (rows) => presentRelatedIssues(rows, audienceOf(req)))
    },
  )

  app.get(
    '/projects/:id/issues/:issue_iid/links/:issue_link_id',
    {
      config: reads(project('read_issue')),
      schema: { summary: 'Get a link between issues', params: ByLink, response: { 200: IssueLink } },
    },
    async (req) => {
      const { issue_iid, issue_link_id } = req.params
      const link = await findLink(db, req.viewer, req.project(), issue_iid, issue_link_id)
      return presentLink(link, audienceOf(req))
    },
  )

  app.post(
    '/projects/:id/issues/:issue_iid/links',
    {
      config: writes(project('link_issue')),
      schema: {
        summary: 'Link an issue to another one',
        description:
          'Only members of both projects can remove links. An issue that `is_blocked_by` another one is the target of a link `blocks`. ' +
          'An issue can have 1,000 links.',
        params: ByIssue,
        body: NewLink,
        refuses: [409, 422],
        response: { 201: IssueLink },
      },
    },
    async (req) => {
      const { viewer, params, body } = req
      const link = await req.write(async (tx) => {
        const issue = await findIssue(tx.db, viewer, req.project(), params.issue_iid)
        const other = await openTarget(tx, viewer, body.target_project_id, body.target_issue_iid)
        const id = await linkIssues(tx, issue, other, body.link_type ?? 'relates_to')
        return findLink(tx.db, viewer, req.project(), params.issue_iid, id)
      })
      return presentLink(link, audienceOf(req))
    },
  )

  app.delete(
    '/projects/:id/issues/:issue_iid/links/:issue_link_id',
    {
      config: writes(project('link_issue')),
      schema: {
        summary: 'Remove a link between issues',
        description: 'Only members of both projects can remove links.',
        params: ByLink,
        refuses: [412],
        response: { 200: IssueLink },
      },
    },
    async (req) => {
      const { viewer, params } = req
      const authorized = req.project()
      const link = await req.write(async (tx) => {
        const found = await findLink(tx.db, viewer, authorized, params.issue_iid, params.issue_link_id)
        assertUnmodified(req, found.updated_at)
        await assertMayUnlink(tx, viewer, authorized, found)
        await unlinkIssues(tx, found)
        return found
      })
      return presentLink(link, audienceOf(req))
    },
  )
}
