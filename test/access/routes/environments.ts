import { unique } from '#test/world.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

/** Whoever reads the code sees where it is deployed; Developers keep that. */
const inProject = (
  lowest: 'code readers' | 'developer',
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: lowest === 'code readers', request })

const base = ({ id }: ProjectPlace) => `/projects/${id}/environments`

/** An environment of its own. @param stopped whether it was stopped, too */
async function made(place: ProjectPlace, stopped = false, name = unique('name')): Promise<string> {
  const { body } = await place.admin.post(base(place), { name })
  const path = `${base(place)}/${body.id}`
  if (stopped) await place.admin.post(`${path}/stop`)
  return path
}

export const environmentExpectations: RouteExpectations = {
  'GET /projects/:id/environments': inProject('code readers', 200, (place) => ({ path: base(place) })),
  'GET /projects/:id/environments/:environment_id': inProject('code readers', 200, async (place) => ({
    path: await made(place),
  })),
  'POST /projects/:id/environments': inProject('developer', 201, (place) => ({
    path: base(place),
    json: { name: unique('name') },
  })),
  'PUT /projects/:id/environments/:environment_id': inProject('developer', 200, async (place) => ({
    path: await made(place),
    json: { description: 'new' },
  })),
  'POST /projects/:id/environments/:environment_id/stop': inProject('developer', 200, async (place) => ({
    path: `${await made(place)}/stop`,
  })),
  'DELETE /projects/:id/environments/:environment_id': inProject('developer', 204, async (place) => ({
    path: await made(place, true),
  })),
  'DELETE /projects/:id/environments/review_apps': inProject('developer', 200, async (place) => {
    await made(place, true, `review/${unique('name')}`)
    return { path: `${base(place)}/review_apps?before=2090-01-01` }
  }),
}
