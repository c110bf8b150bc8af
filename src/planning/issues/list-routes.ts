import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { admin, anyone, group, project, reads } from '#platform/access/route-access.ts'
import { asThemselves } from '#platform/access/viewer.ts'
import { unauthorized } from '#platform/refusals.ts'
import { ById, integer } from '#platform/http/schema.ts'
import { Issue, IssueSingle } from './entity.ts'
import {
  type Filter,
  GroupFilter,
  GroupStatisticsFilter,
  InstanceFilter,
  InstanceStatisticsFilter,
  ProjectFilter,
  ProjectStatisticsFilter,
} from './filter-parameters.ts'
import { listIssues } from './list-issues.ts'
import { issueOrder, projectIssueOrder } from './list-order.ts'
import type { ListScope } from '#planning/noteables/list/scope.ts'
import { ofGroup, ofInstance, ofProject } from './listed-issues.ts'
import { audienceOf, presentSingleIssue } from './present.ts'
import { findIssueById } from './queries.ts'
import { IssueStatistics, statisticsOf } from './statistics.ts'

const Issues = { 200: Type.Array(Issue) }
const Counts = { 200: IssueStatistics }
const COUNTED_SO_FAR = 'Counts at most 10,001 issues of each state; 10,001 means more than 10,000.'

/** Lists and counts of issues: of a project, of a group and everything below it, of the instance. */
export const issueListRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/issues',
    {
      config: reads(project('read_issue'), { anonymous: true, jobToken: true }),
      schema: {
        summary: 'List the issues of a project',
        params: ById,
        querystring: ProjectFilter,
        response: Issues,
      },
    },
    (req, reply) =>
      listIssues(req, reply, projectIssueOrder, ofProject(asThemselves(req.viewer), req.project())),
  )

  app.get(
    '/groups/:id/issues',
    {
      config: reads(group('read_issue'), { anonymous: true }),
      schema: {
        summary: 'List the issues of all projects in a group and its subgroups',
        params: ById,
        querystring: GroupFilter,
        response: Issues,
      },
    },
    (req, reply) => listIssues(req, reply, issueOrder, ofGroup(req.viewer, req.group())),
  )

  app.get(
    '/issues',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'List issues of all projects',
        description:
          'The issues that you created, unless `scope` says otherwise. Without credentials, only `scope=all`.',
        querystring: InstanceFilter,
        response: Issues,
      },
    },
    (req, reply) => listIssues(req, reply, issueOrder, anywhere(req)),
  )

  app.get(
    '/issues/:id',
    {
      config: reads(admin),
      schema: {
        summary: 'Get an issue by its id',
        params: Type.Object({
          id: integer({ description: 'The id of the issue, not its number in the project.' }),
        }),
        response: { 200: IssueSingle },
      },
    },
    async (req) => presentSingleIssue(await findIssueById(db, req.viewer, req.params.id), audienceOf(req)),
  )

  app.get(
    '/projects/:id/issues_statistics',
    {
      config: reads(project('read_issue'), { anonymous: true }),
      schema: {
        summary: 'Count the issues of a project',
        description: COUNTED_SO_FAR,
        params: ById,
        querystring: ProjectStatisticsFilter,
        response: Counts,
      },
    },
    (req) => statisticsOf(req, ofProject(req.viewer, req.project())),
  )

  app.get(
    '/groups/:id/issues_statistics',
    {
      config: reads(group('read_issue'), { anonymous: true }),
      schema: {
        summary: 'Count the issues of a group and its subgroups',
        description: COUNTED_SO_FAR,
        params: ById,
        querystring: GroupStatisticsFilter,
        response: Counts,
      },
    },
    (req) => statisticsOf(req, ofGroup(req.viewer, req.group())),
  )

  app.get(
    '/issues_statistics',
    {
      config: reads(anyone, { anonymous: true }),
      schema: {
        summary: 'Count issues of all projects',
        description: `The issues that you created, unless \`scope\` says otherwise. Without credentials, only \`scope=all\`. ${COUNTED_SO_FAR}`,
        querystring: InstanceStatisticsFilter,
        response: Counts,
      },
    },
    (req) => statisticsOf(req, anywhere(req)),
  )
}

/** @throws 401 for anonymous callers unless they ask for everybody's issues */
function anywhere({ viewer, query }: FastifyRequest & { readonly query: Filter }): ListScope {
  if (viewer.id === null && query.scope !== 'all') throw unauthorized()
  return ofInstance(viewer)
}
