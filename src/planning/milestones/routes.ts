import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { projectsAndGroups } from '#platform/access/projects-and-groups.ts'
import { project, reads, writes } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { authorizeGroupOf } from '#tenancy/groups/authorize-group-of.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { paginate } from '#platform/http/pagination.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import { ById, NoContent } from '#platform/http/schema.ts'
import { lockTitle } from './check-milestone.ts'
import { createMilestone } from './create-milestone.ts'
import { deleteMilestone } from './delete-milestone.ts'
import { Milestone, type MilestoneRow, presentMilestone } from './entity.ts'
import { ByMilestone } from './by-milestone.ts'
import { Filter, MilestoneChanges, NewMilestone } from './parameters.ts'
import { promoteMilestone } from './promote-milestone.ts'
import {
  filterMilestones,
  findMilestone,
  lockMilestone,
  milestoneOrder,
  milestonesAt,
  milestonesFor,
} from './queries.ts'
import { updateMilestone } from './update-milestone.ts'

const present = (row: MilestoneRow, req: FastifyRequest) => presentMilestone(row, req.site, req.viewer.today)

/** Routes for milestones of projects and groups; issue-routes.ts has their issues. */
export const milestoneRoutes: FastifyPluginAsyncTypebox = async (app) => {
  const { db } = app

  for (const { kind, subject, open } of projectsAndGroups) {
    const collection = `/${kind}s/:id/milestones` as const

    app.get(
      collection,
      {
        config: reads(subject('read_milestone'), { anonymous: true }),
        schema: {
          summary: `List the milestones of a ${kind}`,
          description: 'Soonest due first; milestones without a due date last.',
          params: ById,
          querystring: Filter,
          response: { 200: Type.Array(Milestone) },
        },
      },
      async (req, reply) => {
        const { include_ancestors, include_parent_milestones, iids = [], ...rest } = req.query
        const ancestors = include_ancestors ?? include_parent_milestones ?? false
        const filter = ancestors || iids.length === 0 ? rest : { ...rest, iids }
        const milestones = (longest?: number) =>
          filterMilestones(milestonesAt(milestonesFor(db, longest), open(req).container, ancestors), filter)
        const rows = await paginate(req, reply, milestones(inlineBytes(req.query)), milestoneOrder)
        const long = {
          rows,
          lacks: ({ left_out }: MilestoneRow) => left_out ?? 0,
          whole: (ids: readonly number[]) => milestones().where(isAnyOf('m.id', ids)).execute(),
        }
        return sendLong(req, reply, long, (some) => some.map((row) => present(row, req)))
      },
    )

    app.get(
      `${collection}/:milestone_id`,
      {
        config: reads(subject('read_milestone'), { anonymous: true }),
        schema: {
          summary: `Get a milestone of a ${kind}`,
          params: ByMilestone,
          response: { 200: Milestone },
        },
      },
      async (req) => {
        const milestones = milestonesAt(milestonesFor(db), open(req).container)
        return present(await findMilestone(milestones, req.params.milestone_id), req)
      },
    )

    app.post(
      collection,
      {
        config: writes(subject('admin_milestone')),
        schema: {
          summary: `Create a milestone in a ${kind}`,
          params: ById,
          body: NewMilestone,
          response: { 201: Milestone },
        },
      },
      async (req) => {
        const { container } = open(req)
        const created = await req.write((tx) => createMilestone(tx, container, req.body))
        const where = { project_id: kind === 'project' ? container.id : null, full_path: container.full_path }
        return present({ ...created, ...where, left_out: null }, req)
      },
    )

    app.put(
      `${collection}/:milestone_id`,
      {
        config: writes(subject('admin_milestone')),
        schema: {
          summary: `Change, close or activate a milestone of a ${kind}`,
          params: ByMilestone,
          body: MilestoneChanges,
          refuses: [412],
          response: { 200: Milestone },
        },
      },
      (req) =>
        req.write(async (tx) => {
          const { title } = req.body
          const { container } = open(req)
          if (title !== undefined) await lockTitle(tx, container, title)
          const { milestone_id } = req.params
          const milestone = await lockMilestone(tx, container, milestone_id, title !== undefined)
          assertUnmodified(req, milestone.updated_at)
          return present(await updateMilestone(tx, container, milestone, req.body), req)
        }),
    )

    app.delete(
      `${collection}/:milestone_id`,
      {
        config: writes(subject('admin_milestone')),
        schema: {
          summary: `Delete a milestone of a ${kind}`,
          params: ByMilestone,
          refuses: [412],
          response: { 204: NoContent },
        },
      },
      async (req) => {
        await req.write(async (tx) => {
          const milestone = await lockMilestone(tx, open(req).container, req.params.milestone_id, true)
          assertUnmodified(req, milestone.updated_at)
          await deleteMilestone(tx, milestone)
        })
      },
    )
  }

  app.post(
    '/projects/:id/milestones/:milestone_id/promote',
    {
      config: writes(project('admin_milestone')),
      schema: {
        summary: 'Promote a milestone to the group',
        description:
          'Needs the same rights in the group. Milestones of the same title in other projects below are replaced by this one.',
        params: ByMilestone,
        response: { 200: Milestone },
      },
    },
    async (req) => {
      const { container } = req.project()
      const milestone = await req.write(async (tx) => {
        const { milestone_id } = req.params
        await findMilestone(milestonesAt(milestonesFor(tx.db), container), milestone_id)
        const { container: group } = await authorizeGroupOf(tx, req.viewer, container, 'admin_milestone')
        await promoteMilestone(tx, group, container, milestone_id)
        return findMilestone(milestonesFor(tx.db), milestone_id)
      })
      return present(milestone, req)
    },
  )
}
