import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { sql } from 'kysely'
import { Type } from 'typebox'
import { group, project, reads } from '#platform/access/route-access.ts'
import { Issue } from '#planning/issues/entity.ts'
import { listIssues } from '#planning/issues/list-issues.ts'
import { issueOrder } from '#planning/issues/list-order.ts'
import { ofGroup, ofProject } from '#planning/issues/listed-issues.ts'
import type { ItemFilter } from '#planning/noteables/list/item-filter.ts'
import { ByMilestone } from './by-milestone.ts'
import { Page } from './parameters.ts'
import { findMilestone, milestonesAt, milestonesFor } from './queries.ts'

/** The issues of a milestone. */
export const milestoneIssueRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  app.get(
    '/projects/:id/milestones/:milestone_id/issues',
    {
      config: reads(project('read_issue'), { anonymous: true }),
      schema: {
        summary: 'List the issues of a milestone of a project',
        params: ByMilestone,
        querystring: Page,
        response: { 200: Type.Array(Issue) },
      },
    },
    async (req, reply) => {
      const authorized = req.project()
      const { id } = await findMilestone(
        milestonesAt(milestonesFor(db), authorized.container),
        req.params.milestone_id,
      )
      return listIssues(req, reply, issueOrder, ofProject(req.viewer, authorized), having(id))
    },
  )

  app.get(
    '/groups/:id/milestones/:milestone_id/issues',
    {
      config: reads(group('read_issue'), { anonymous: true }),
      schema: {
        summary: 'List the issues of a milestone of a group, in all projects below it',
        params: ByMilestone,
        querystring: Page,
        response: { 200: Type.Array(Issue) },
      },
    },
    async (req, reply) => {
      const authorized = req.group()
      const { id } = await findMilestone(
        milestonesAt(milestonesFor(db), authorized.container),
        req.params.milestone_id,
      )
      return listIssues(req, reply, issueOrder, ofGroup(req.viewer, authorized), having(id))
    },
  )
}

/** The issues of a milestone. */
const having = (id: number): ItemFilter => ({
  test: sql<boolean>`i.milestone_id = ${id}`,
  selectivity: 'few',
})
