import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { asThemselves } from '#platform/access/viewer.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { ByIssue } from './by-issue.ts'
import { changeIssue } from './change-issue.ts'
import { deleteIssue } from './delete-issue.ts'
import { IssueSingle } from './entity.ts'
import { openIssue } from './open-issue.ts'
import { IssueChanges, NewIssue } from './parameters.ts'
import { audienceOf, presentSingleIssue } from './present.ts'
import { lockIssue } from './lock-issue.ts'
import { findIssue } from './queries.ts'

/** Routes for single issues of a project; list-routes.ts has the lists. */
export const issueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/issues/:issue_iid',
    {
      config: reads(project('read_issue'), { anonymous: true, jobToken: true }),
      schema: { summary: 'Get an issue', params: ByIssue, response: { 200: IssueSingle } },
    },
    async (req) =>
      presentSingleIssue(
        await findIssue(db, asThemselves(req.viewer), req.project(), req.params.issue_iid),
        audienceOf(req),
      ),
  )

  app.post(
    '/projects/:id/issues',
    {
      config: writes(project('create_issue')),
      schema: {
        summary: 'Open an issue',
        description:
          'Only members of the project can set labels, assignees, milestone, due date, weight and lock; from ' +
          'others, the server ignores them. The server also ignores assignees who cannot read the project, ' +
          'milestones of other projects, and unknown labels if the caller may not create labels.',
        params: ById,
        body: NewIssue,
        refuses: [409, 422],
        checkedForSpam: true,
        response: { 201: IssueSingle },
      },
    },
    async (req) => presentSingleIssue(await openIssue(req, req.body), audienceOf(req)),
  )

  app.put(
    '/projects/:id/issues/:issue_iid',
    {
      config: writes(project('edit_issue')),
      schema: {
        summary: 'Change an issue',
        description:
          'The author and the assignees may change the title and description, close and reopen. Everything else ' +
          'needs the role Planner; from others, the server ignores it. The server also ignores assignees who ' +
          'cannot read the project, and milestones of other projects.',
        params: ByIssue,
        body: IssueChanges,
        refuses: [412, 422],
        checkedForSpam: true,
        response: { 200: IssueSingle },
      },
    },
    async (req) =>
      presentSingleIssue(await changeIssue(req, req.params.issue_iid, req.body), audienceOf(req)),
  )

  app.delete(
    '/projects/:id/issues/:issue_iid',
    {
      config: writes(project('delete_issue')),
      schema: { summary: 'Delete an issue', params: ByIssue, refuses: [412], response: { 204: NoContent } },
    },
    async (req) => {
      await req.write(async (tx) => {
        const issue = await lockIssue(tx, req.viewer, req.project(), req.params.issue_iid, 'deletion')
        assertUnmodified(req, issue.updated_at)
        await deleteIssue(tx, issue)
      })
    },
  )
}
