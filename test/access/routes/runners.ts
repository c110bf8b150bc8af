import { unique, w, type Place } from '#test/world.ts'
import {
  type Asking,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'

// Rights to one runner, which its path alone names, are tested beside the routes (src/ci/runners). To the instance's, everybody may
// look, and administrators alone may change them.

async function made(given: object): Promise<{ id: number; token: string }> {
  const { body } = await w.root.post('/user/runners', given)
  return body
}
const shared = () => made({ runner_type: 'instance_type' })
/** A runner of another project, which administrators alone may enable. */
async function elsewhere(): Promise<number> {
  const { body } = await w.root.post('/projects', { name: unique('Project') })
  return (await made({ runner_type: 'project_type', project_id: body.id })).id
}
async function lent(place: ProjectPlace): Promise<number> {
  const id = await elsewhere()
  await w.root.post(`/projects/${place.id}/runners`, { runner_id: id })
  return id
}

const ofInstance = (
  lowest: 'anonymous' | 'signed in' | 'administrator',
  status: number,
  request: () => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'instance', lowest, status, request })

const aboutOne = (
  lowest: 'signed in' | 'administrator',
  status: number,
  rest = '',
  json?: object,
): RouteExpectation =>
  ofInstance(lowest, status, async () => ({ path: `/runners/${(await shared()).id}${rest}`, json }))

const withToken = (status: number, rest: string): RouteExpectation =>
  ofInstance('anonymous', status, async () => ({
    path: `/runners${rest}`,
    json: { token: (await shared()).token },
  }))

const inGroup = (
  status: number,
  request: (place: Place) => Asking,
  whileArchived = true,
): RouteExpectation => ({ in: 'group', lowest: 'owner', status, whileArchived, request })

const inProject = (
  lowest: 'maintainer' | 'administrator',
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
  whileArchived = true,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived, request })

export const runnerExpectations: RouteExpectations = {
  'GET /runners': ofInstance('signed in', 200, () => ({ path: '/runners' })),
  'GET /runners/all': ofInstance('administrator', 200, () => ({ path: '/runners/all' })),
  'POST /user/runners': ofInstance('administrator', 201, () => ({
    path: '/user/runners',
    json: { runner_type: 'instance_type' },
  })),
  'GET /runners/:id': aboutOne('signed in', 200),
  'GET /runners/:id/managers': aboutOne('signed in', 200, '/managers'),
  'GET /runners/:id/jobs': aboutOne('administrator', 200, '/jobs'),
  'PUT /runners/:id': aboutOne('administrator', 200, '', { paused: true }),
  'DELETE /runners/:id': aboutOne('administrator', 204),
  'POST /runners/:id/reset_authentication_token': aboutOne(
    'administrator',
    201,
    '/reset_authentication_token',
  ),
  'POST /runners/reset_registration_token': ofInstance('administrator', 201, () => ({
    path: '/runners/reset_registration_token',
  })),

  // The token of the runner is the only credential.
  'POST /runners/verify': withToken(200, '/verify'),
  'POST /runners/reset_authentication_token': withToken(201, '/reset_authentication_token'),
  'DELETE /runners': withToken(204, ''),
  'DELETE /runners/managers': ofInstance('anonymous', 204, async () => {
    const { token } = await shared()
    await w.anonymous.post('/runners/verify', { token, system_id: 's_one' })
    return { path: '/runners/managers', json: { token, system_id: 's_one' } }
  }),
  'POST /runners': ofInstance('anonymous', 201, async () => {
    const { body } = await w.root.post('/runners/reset_registration_token')
    return { path: '/runners', json: { token: body.token } }
  }),

  'GET /projects/:id/runners': inProject('maintainer', 200, ({ id }) => ({
    path: `/projects/${id}/runners`,
  })),
  'POST /projects/:id/runners': inProject(
    'administrator',
    201,
    async ({ id }) => ({ path: `/projects/${id}/runners`, json: { runner_id: await elsewhere() } }),
    false,
  ),
  'DELETE /projects/:id/runners/:runner_id': inProject('maintainer', 204, async (place) => ({
    path: `/projects/${place.id}/runners/${await lent(place)}`,
  })),
  'POST /projects/:id/runners/reset_registration_token': inProject(
    'maintainer',
    201,
    ({ id }) => ({ path: `/projects/${id}/runners/reset_registration_token` }),
    false,
  ),
  'GET /groups/:id/runners': inGroup(200, ({ id }) => ({ path: `/groups/${id}/runners` })),
  'POST /groups/:id/runners/reset_registration_token': inGroup(
    201,
    ({ id }) => ({ path: `/groups/${id}/runners/reset_registration_token` }),
    false,
  ),
}
