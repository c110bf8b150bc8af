import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { Type } from 'typebox'
import { authorizeProject } from '#platform/access/authorize.ts'
import { project, writes } from '#platform/access/route-access.ts'
import { takeFromMinute } from '#platform/http/limits.ts'
import { flag, integer } from '#platform/http/schema.ts'
import { IssueSingle } from '../entity.ts'
import { ByIssue } from '../by-issue.ts'
import { audienceOf, presentSingleIssue } from '../present.ts'
import { findIssue } from '../queries.ts'
import { cloneIssue } from './clone-issue.ts'
import { moveIssue } from './move-issue.ts'

const to_project_id = integer({ minimum: 1, description: 'The id of the target project.' })

/** Routes that move issues to another project, and clone them. */
export const issueMoveRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const config = writes(project('admin_issue'))

  app.post(
    '/projects/:id/issues/:issue_iid/move',
    {
      config,
      schema: {
        summary: 'Move an issue to another project',
        description:
          'Notes, reactions, time and links move with the issue. It keeps labels and its milestone if the other ' +
          'project has ones of the same name, and the assignees who can read it there. The original is closed. ' +
          'References in texts stay as they are.',
        params: ByIssue,
        body: Type.Object({ to_project_id }),
        response: { 201: IssueSingle },
      },
    },
    async (req) => {
      const { viewer, params, body } = req
      const issue = await req.write(async (tx) => {
        const there = await authorizeProject(tx.db, viewer, String(body.to_project_id), 'admin_issue')
        const { iid } = await moveIssue(tx, viewer, req.project(), params.issue_iid, there)
        return findIssue(tx.db, viewer, there, iid)
      })
      return presentSingleIssue(issue, audienceOf(req))
    },
  )

  app.post(
    '/projects/:id/issues/:issue_iid/clone',
    {
      config,
      schema: {
        summary: 'Clone an issue into a project',
        description:
          'The target may be the same project. The caller is the author of the clone. Reactions to the issue, ' +
          'spent time and links stay with the original.',
        params: ByIssue,
        body: Type.Object({
          to_project_id,
          with_notes: Type.Optional(
            flag({ description: 'Whether to copy the notes as well; false by default.' }),
          ),
        }),
        response: { 201: IssueSingle },
      },
    },
    async (req) => {
      const { viewer, params, body } = req
      const wanted = { withNotes: body.with_notes ?? false, userAgent: req.headers['user-agent'] ?? null }
      await takeFromMinute(req, 'issues_create_limit')
      const issue = await req.write(async (tx) => {
        const there = await authorizeProject(tx.db, viewer, String(body.to_project_id), 'admin_issue')
        const { iid } = await cloneIssue(tx, viewer, req.project(), params.issue_iid, there, wanted)
        return findIssue(tx.db, viewer, there, iid)
      })
      return presentSingleIssue(issue, audienceOf(req))
    },
  )
}
