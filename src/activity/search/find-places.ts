import { paginate, paginateNothing } from '#platform/http/pagination.ts'
import { inlineBytes, sendLong } from '#platform/http/long-rows.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import { type MilestoneRow, presentMilestone } from '#planning/milestones/entity.ts'
import {
  filterMilestones,
  milestoneOrder,
  milestonesAt,
  milestonesFor,
  milestonesOfProjects,
} from '#planning/milestones/queries.ts'
import { listProjects } from '#tenancy/projects/list-projects.ts'
import { inGroup } from '#tenancy/projects/list/sources.ts'
import { type Finder, forList } from './request.ts'

const ALL_BELOW = { with_shared: false, include_subgroups: true, include_ancestor_groups: false }

export const findProjects: Finder = (req, reply) => {
  const { authorizedGroup: group, viewer, query } = req
  const asked = forList(req, { search: query.search, simple: true })
  return listProjects(
    asked,
    reply,
    group && { among: inGroup(group.container, ALL_BELOW, viewer.today), full: true },
  )
}

/** Milestones of projects: of one, of all in a group, or of all. */
export const findMilestones: Finder = async (req, reply) => {
  const { authorizedProject: project, authorizedGroup: group, viewer, query, site, server } = req
  if (project?.can('read_milestone') === false) return paginateNothing(req, reply)
  const milestones = (longest?: number) => {
    const all = milestonesFor(server.db, longest)
    const near = project
      ? milestonesAt(all, project.container)
      : milestonesOfProjects(all, viewer, group?.container.id)
    return filterMilestones(near, { search: query.search })
  }
  const rows = await paginate(forList(req, {}), reply, milestones(inlineBytes(query)), milestoneOrder)
  const long = {
    rows,
    lacks: ({ left_out }: MilestoneRow) => left_out ?? 0,
    whole: (ids: readonly number[]) => milestones().where(isAnyOf('m.id', ids)).execute(),
  }
  return sendLong(req, reply, long, (some) => some.map((row) => presentMilestone(row, site, viewer.today)))
}
