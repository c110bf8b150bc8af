import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { project, reads } from '#platform/access/route-access.ts'
import { pageParameters } from '#platform/http/order.ts'
import { findBareIssue } from '#planning/issues/bare-issue.ts'
import { Issue } from '#planning/issues/entity.ts'
import { listIssues } from '#planning/issues/list-issues.ts'
import { issueOrder } from '#planning/issues/list-order.ts'
import { ofInstance as allIssues } from '#planning/issues/listed-issues.ts'
import { ByIssue } from '#planning/issues/by-issue.ts'
import { byIds } from '#planning/noteables/list/item-filter.ts'
import { findBareMergeRequest } from '../bare-merge-request.ts'
import { ListedMergeRequest } from '../list/entity.ts'
import { listMergeRequests } from '../list/list-merge-requests.ts'
import { ofInstance as allMergeRequests } from '../list/listed-merge-requests.ts'
import { ByMergeRequest } from '../parameters.ts'
import { closedBy, closing } from './closings.ts'

// Each mention made one system note on what is mentioned. Commits make notes of their own.
const mentionedBy = (id: number) =>
  sql`select x.noteable_id as id from notes x where x.about_noteable_id = ${id} and x.mention
    union select c.issue_id from merge_request_commit_closings c where c.merge_request_id = ${id}`
const mentioning = (id: number) =>
  sql`select x.about_noteable_id as id from notes x where x.noteable_id = ${id} and x.mention
    union select c.merge_request_id from merge_request_commit_closings c where c.issue_id = ${id}`

const ofIssues = {
  related_merge_requests: { summary: 'List the merge requests that mention an issue', ids: mentioning },
  closed_by: { summary: 'List the merge requests that close an issue when they are merged', ids: closing },
} as const

const ofMergeRequests = {
  closes_issues: {
    summary: 'List the issues that a merge request closes',
    description:
      'Those that its title, its description or the messages of its commits close with words such as `Closes #1`, if it goes into the default branch.',
    ids: closedBy,
  },
  related_issues: {
    summary: 'List the issues that a merge request mentions',
    description:
      'Those that its title, its description or comments on it name, and those that its commits close.',
    ids: mentionedBy,
  },
} as const

/** The issues of merge requests, and the merge requests of issues. */
export const mergeRequestIssueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app
  const querystring = Type.Object(pageParameters)

  for (const list of ['related_merge_requests', 'closed_by'] as const) {
    const { summary, ids } = ofIssues[list]
    app.get(
      `/projects/:id/issues/:issue_iid/${list}`,
      {
        config: reads(project('read_issue'), { anonymous: true }),
        schema: { summary, params: ByIssue, querystring, response: { 200: Type.Array(ListedMergeRequest) } },
      },
      async (req, reply) => {
        const { id } = await findBareIssue(db, req.viewer, req.project(), req.params.issue_iid)
        return listMergeRequests(req, reply, allMergeRequests(req.viewer), byIds(ids(id)))
      },
    )
  }

  for (const list of ['closes_issues', 'related_issues'] as const) {
    const { summary, description, ids } = ofMergeRequests[list]
    app.get(
      `/projects/:id/merge_requests/:merge_request_iid/${list}`,
      {
        config: reads(project('read_merge_request'), { anonymous: true }),
        schema: {
          summary,
          description,
          params: ByMergeRequest,
          querystring,
          response: { 200: Type.Array(Issue) },
        },
      },
      async (req, reply) => {
        const { merge_request_iid } = req.params
        const { id } = await findBareMergeRequest(db, req.viewer, req.project(), merge_request_iid)
        return listIssues(req, reply, issueOrder, allIssues(req.viewer), byIds(ids(id)))
      },
    )
  }
}
