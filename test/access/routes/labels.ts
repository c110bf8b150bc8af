import { levels } from '#platform/access/roles.ts'
import type { ProjectPlace, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import { type Place, unique, type World } from '#test/world.ts'

const label = () => ({ name: unique('label'), color: '#ff0000' })

/** A fresh label of the place, by the owner. */
async function made(kind: 'projects' | 'groups', { id, owner }: Place): Promise<string> {
  const { body } = await owner.post(`/${kind}/${id}/labels`, label())
  return `/${kind}/${id}/labels/${body.id}`
}

const inProject = (
  lowest: 'readers' | 'signed-in readers' | 'planner',
  status: number,
  request: (place: ProjectPlace, w: World) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: lowest !== 'planner', request })

const inGroup = (
  lowest: 'readers' | 'signed-in readers' | 'planner',
  status: number,
  request: (place: Place) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({ in: 'group', lowest, status, whileArchived: lowest !== 'planner', request })

export const labelExpectations: RouteExpectations = {
  'GET /projects/:id/labels': inProject('readers', 200, async ({ id }) => ({
    path: `/projects/${id}/labels`,
  })),
  'GET /projects/:id/labels/:label_id': inProject('readers', 200, async (p) => ({
    path: await made('projects', p),
  })),
  'POST /projects/:id/labels': inProject('planner', 201, async ({ id }) => ({
    path: `/projects/${id}/labels`,
    json: label(),
  })),
  'PUT /projects/:id/labels/:label_id': inProject('planner', 200, async (p) => ({
    path: await made('projects', p),
    json: { color: 'blue' },
  })),
  'PUT /projects/:id/labels': inProject('planner', 200, async (p) => {
    const path = await made('projects', p)
    return {
      path: `/projects/${p.id}/labels`,
      json: { label_id: Number(path.split('/').at(-1)), color: 'blue' },
    }
  }),
  'DELETE /projects/:id/labels/:label_id': inProject('planner', 204, async (p) => ({
    path: await made('projects', p),
  })),
  'DELETE /projects/:id/labels': inProject('planner', 204, async (p) => {
    const path = await made('projects', p)
    return { path: `/projects/${p.id}/labels?label_id=${path.split('/').at(-1)}` }
  }),
  'PUT /projects/:id/labels/:label_id/promote': inProject('planner', 200, async (p, w) => {
    // It becomes the group's, and so takes that right there, too.
    for (const user of [p.planner, p.owner]) await w.memberAtLeast(p.groupId, user, levels.planner)
    return { path: `${await made('projects', p)}/promote` }
  }),
  'POST /projects/:id/labels/:label_id/subscribe': inProject('signed-in readers', 201, async (p) => ({
    path: `${await made('projects', p)}/subscribe`,
  })),
  'POST /projects/:id/labels/:label_id/unsubscribe': inProject('signed-in readers', 304, async (p) => ({
    path: `${await made('projects', p)}/unsubscribe`,
  })),
  'GET /groups/:id/labels': inGroup('readers', 200, async ({ id }) => ({ path: `/groups/${id}/labels` })),
  'GET /groups/:id/labels/:label_id': inGroup('readers', 200, async (p) => ({
    path: await made('groups', p),
  })),
  'POST /groups/:id/labels': inGroup('planner', 201, async ({ id }) => ({
    path: `/groups/${id}/labels`,
    json: label(),
  })),
  'PUT /groups/:id/labels/:label_id': inGroup('planner', 200, async (p) => ({
    path: await made('groups', p),
    json: { color: 'blue' },
  })),
  'PUT /groups/:id/labels': inGroup('planner', 200, async (p) => {
    const path = await made('groups', p)
    return {
      path: `/groups/${p.id}/labels`,
      json: { label_id: Number(path.split('/').at(-1)), color: 'blue' },
    }
  }),
  'DELETE /groups/:id/labels': inGroup('planner', 204, async (p) => {
    const path = await made('groups', p)
    return { path: `/groups/${p.id}/labels?label_id=${path.split('/').at(-1)}` }
  }),
  'DELETE /groups/:id/labels/:label_id': inGroup('planner', 204, async (p) => ({
    path: await made('groups', p),
  })),
  'POST /groups/:id/labels/:label_id/subscribe': inGroup('signed-in readers', 201, async (p) => ({
    path: `${await made('groups', p)}/subscribe`,
  })),
  'POST /groups/:id/labels/:label_id/unsubscribe': inGroup('signed-in readers', 304, async (p) => ({
    path: `${await made('groups', p)}/unsubscribe`,
  })),
}
