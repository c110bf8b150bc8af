import { newSshKey } from '#test/ssh-keys.ts'
import { unique } from '#test/world.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

const fresh = () => ({ title: unique('key'), key: newSshKey() })

const inProject = (
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
  whileArchived = true,
): RouteExpectation => ({ in: 'project', lowest: 'maintainer', status, whileArchived, request })

async function made({ id, owner }: ProjectPlace): Promise<string> {
  const { body } = await owner.post(`/projects/${id}/deploy_keys`, fresh())
  return `/projects/${id}/deploy_keys/${body.id}`
}

export const deployKeyExpectations: RouteExpectations = {
  'GET /projects/:id/deploy_keys': inProject(200, ({ id }) => ({ path: `/projects/${id}/deploy_keys` })),
  'GET /projects/:id/deploy_keys/:key_id': inProject(200, async (p) => ({ path: await made(p) })),
  'POST /projects/:id/deploy_keys': inProject(
    201,
    ({ id }) => ({ path: `/projects/${id}/deploy_keys`, json: fresh() }),
    false,
  ),
  'POST /projects/:id/deploy_keys/:key_id/enable': inProject(
    201,
    async ({ id, admin }) => ({
      path: `/projects/${id}/deploy_keys/${(await admin.post('/deploy_keys', fresh())).body.id}/enable`,
    }),
    false,
  ),
  'PUT /projects/:id/deploy_keys/:key_id': inProject(
    200,
    async (p) => ({ path: await made(p), json: { can_push: true } }),
    false,
  ),
  'DELETE /projects/:id/deploy_keys/:key_id': inProject(204, async (p) => ({ path: await made(p) })),
  'GET /deploy_keys': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: () => ({ path: '/deploy_keys' }),
  },
  'POST /deploy_keys': {
    in: 'instance',
    lowest: 'administrator',
    status: 201,
    request: () => ({ path: '/deploy_keys', json: fresh() }),
  },
  // Administrators maintain every project: src/tenancy/deploy-keys/deploy-keys.test.ts has the others.
  'GET /users/:id_or_username/project_deploy_keys': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: async (w) => ({ path: `/users/${(await w.project()).maintainer.id}/project_deploy_keys` }),
  },
}
