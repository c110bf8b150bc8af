import { levels } from '#platform/access/roles.ts'
import type { ProjectPlace, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import { type Place, unique, type World } from '#test/world.ts'

const milestone = () => ({ title: unique('milestone') })

/** A fresh milestone of the place, by the owner. */
async function made(kind: 'projects' | 'groups', { id, owner }: Place): Promise<string> {
  const { body } = await owner.post(`/${kind}/${id}/milestones`, milestone())
  return `/${kind}/${id}/milestones/${body.id}`
}

const inProject = (
  lowest: 'readers' | 'planner',
  status: number,
  request: (place: ProjectPlace, w: World) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: lowest !== 'planner', request })

const inGroup = (
  lowest: 'readers' | 'planner',
  status: number,
  request: (place: Place) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({ in: 'group', lowest, status, whileArchived: lowest !== 'planner', request })

export const milestoneExpectations: RouteExpectations = {
  'GET /projects/:id/milestones': inProject('readers', 200, async ({ id }) => ({
    path: `/projects/${id}/milestones`,
  })),
  'GET /projects/:id/milestones/:milestone_id': inProject('readers', 200, async (p) => ({
    path: await made('projects', p),
  })),
  'GET /projects/:id/milestones/:milestone_id/issues': inProject('readers', 200, async (p) => ({
    path: `${await made('projects', p)}/issues`,
  })),
  'POST /projects/:id/milestones': inProject('planner', 201, async ({ id }) => ({
    path: `/projects/${id}/milestones`,
    json: milestone(),
  })),
  'PUT /projects/:id/milestones/:milestone_id': inProject('planner', 200, async (p) => ({
    path: await made('projects', p),
    json: { state_event: 'close' },
  })),
  'DELETE /projects/:id/milestones/:milestone_id': inProject('planner', 204, async (p) => ({
    path: await made('projects', p),
  })),
  'POST /projects/:id/milestones/:milestone_id/promote': inProject('planner', 200, async (p, w) => {
    // It becomes the group's, and so takes that right there, too.
    for (const user of [p.planner, p.owner]) await w.memberAtLeast(p.groupId, user, levels.planner)
    return { path: `${await made('projects', p)}/promote` }
  }),
  'GET /groups/:id/milestones': inGroup('readers', 200, async ({ id }) => ({
    path: `/groups/${id}/milestones`,
  })),
  'GET /groups/:id/milestones/:milestone_id': inGroup('readers', 200, async (p) => ({
    path: await made('groups', p),
  })),
  'GET /groups/:id/milestones/:milestone_id/issues': inGroup('readers', 200, async (p) => ({
    path: `${await made('groups', p)}/issues`,
  })),
  'POST /groups/:id/milestones': inGroup('planner', 201, async ({ id }) => ({
    path: `/groups/${id}/milestones`,
    json: milestone(),
  })),
  'PUT /groups/:id/milestones/:milestone_id': inGroup('planner', 200, async (p) => ({
    path: await made('groups', p),
    json: { state_event: 'close' },
  })),
  'DELETE /groups/:id/milestones/:milestone_id': inGroup('planner', 204, async (p) => ({
    path: await made('groups', p),
  })),
}
