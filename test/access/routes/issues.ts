import type { ProjectPlace, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import type { Place, World } from '#test/world.ts'

/** A fresh issue of the project, by the owner. */
async function made({ id, owner }: Place): Promise<{ path: string; id: number }> {
  const { body } = await owner.post(`/projects/${id}/issues`, { title: 'It breaks' })
  return { path: `/projects/${id}/issues/${body.iid}`, id: body.id }
}

const inProject = (
  lowest: 'readers' | 'signed-in readers' | 'planner' | 'owner',
  status: number,
  request: (place: ProjectPlace) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: lowest === 'readers', request })

const list = (kind: 'project' | 'group', what: string): RouteExpectation => ({
  in: kind,
  lowest: 'readers',
  status: 200,
  request: async (place: Place) => ({ path: `/${kind}s/${place.id}/${what}` }),
})

const anywhere = (path: string): RouteExpectation => ({
  in: 'instance',
  lowest: 'anonymous',
  status: 200,
  request: async () => ({ path: `${path}?scope=all` }),
})

export const issueExpectations: RouteExpectations = {
  'GET /projects/:id/issues': list('project', 'issues'),
  'GET /projects/:id/issues_statistics': list('project', 'issues_statistics'),
  'GET /groups/:id/issues': list('group', 'issues'),
  'GET /groups/:id/issues_statistics': list('group', 'issues_statistics'),
  'GET /issues': anywhere('/issues'),
  'GET /issues_statistics': anywhere('/issues_statistics'),
  'GET /issues/:id': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: async (w: World) => ({ path: `/issues/${(await made(await w.project())).id}` }),
  },
  'GET /projects/:id/issues/:issue_iid': inProject('readers', 200, async (p) => ({
    path: (await made(p)).path,
  })),
  'POST /projects/:id/issues': inProject('signed-in readers', 201, async ({ id }) => ({
    path: `/projects/${id}/issues`,
    json: { title: 'It breaks' },
  })),
  // The author and the assignees may, too: planning/issues/policy.ts.
  'PUT /projects/:id/issues/:issue_iid': inProject('planner', 200, async (p) => ({
    path: (await made(p)).path,
    json: { title: 'It broke' },
  })),
  'DELETE /projects/:id/issues/:issue_iid': inProject('owner', 204, async (p) => ({
    path: (await made(p)).path,
  })),
}
