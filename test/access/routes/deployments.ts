import { giveBranches } from '#test/repositories.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

/** Whoever reads the code sees what is deployed; Developers deploy, and Maintainers delete. */
const inProject = (
  lowest: 'code readers' | 'developer' | 'maintainer',
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: lowest === 'code readers', request })

const base = ({ id }: ProjectPlace) => `/projects/${id}/deployments`
const deployment = { environment: 'production', sha: 'main', ref: 'main', tag: false }

const withBranches = new Set<number>()
/** Gives the project what can be deployed. */
async function filled(place: ProjectPlace): Promise<ProjectPlace> {
  if (withBranches.has(place.id)) return place
  withBranches.add(place.id)
  await giveBranches(place)
  return place
}

async function made(place: ProjectPlace, status = 'running'): Promise<string> {
  const { body } = await (await filled(place)).admin.post(base(place), { ...deployment, status })
  return `${base(place)}/${body.id}`
}

export const deploymentExpectations: RouteExpectations = {
  'GET /projects/:id/deployments': inProject('code readers', 200, (place) => ({ path: base(place) })),
  'GET /projects/:id/deployments/:deployment_id': inProject('code readers', 200, async (place) => ({
    path: await made(place),
  })),
  'GET /projects/:id/deployments/:deployment_id/merge_requests': inProject(
    'code readers',
    200,
    async (place) => ({ path: `${await made(place)}/merge_requests` }),
  ),
  'POST /projects/:id/deployments': inProject('developer', 201, async (place) => ({
    path: base(await filled(place)),
    json: { ...deployment, status: 'success' },
  })),
  'PUT /projects/:id/deployments/:deployment_id': inProject('developer', 200, async (place) => ({
    path: await made(place),
    json: { status: 'success' },
  })),
  'DELETE /projects/:id/deployments/:deployment_id': inProject('maintainer', 204, async (place) => ({
    path: await made(place, 'failed'),
  })),
}
