import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'
import { w } from '#test/world.ts'

export const ownJobExpectations: RouteExpectations = {
  // Nobody who comes by another credential is a job.
  'GET /job': { in: 'instance', lowest: 'signed in', status: 404, request: () => ({ path: '/job' }) },
}

const base = ({ id }: ProjectPlace) => `/projects/${id}/job_token_scope`

const cell = (
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
): RouteExpectation => ({
  in: 'project',
  lowest: 'maintainer',
  status,
  whileArchived: status === 200,
  request,
})

/** Something public, so that everybody who may change the list may also see what is added. */
const project = async () => ({ target_project_id: (await w.project({ visibility: 'public' })).id })
const group = async () => ({ target_group_id: (await w.group({ visibility: 'public' })).id })

async function added(place: ProjectPlace, list: string, body: object): Promise<Asking> {
  const path = `${base(place)}/${list}`
  await place.admin.post(path, body)
  return { path: `${path}/${Object.values(body).join('')}` }
}

export const scopeExpectations: RouteExpectations = {
  'GET /projects/:id/job_token_scope': cell(200, (place) => ({ path: base(place) })),
  'PATCH /projects/:id/job_token_scope': cell(204, (place) => ({
    path: base(place),
    json: { enabled: true },
  })),
  'GET /projects/:id/job_token_scope/allowlist': cell(200, (place) => ({ path: `${base(place)}/allowlist` })),
  'POST /projects/:id/job_token_scope/allowlist': cell(201, async (place) => ({
    path: `${base(place)}/allowlist`,
    json: await project(),
  })),
  'DELETE /projects/:id/job_token_scope/allowlist/:target_project_id': cell(204, async (place) =>
    added(place, 'allowlist', await project()),
  ),
  'GET /projects/:id/job_token_scope/groups_allowlist': cell(200, (place) => ({
    path: `${base(place)}/groups_allowlist`,
  })),
  'POST /projects/:id/job_token_scope/groups_allowlist': cell(201, async (place) => ({
    path: `${base(place)}/groups_allowlist`,
    json: await group(),
  })),
  'DELETE /projects/:id/job_token_scope/groups_allowlist/:target_group_id': cell(204, async (place) =>
    added(place, 'groups_allowlist', await group()),
  ),
}
