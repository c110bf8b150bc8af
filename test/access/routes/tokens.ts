import { unique, type World } from '#test/world.ts'
import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const fresh = (scopes: readonly string[]) => ({ name: unique('token'), scopes })

const forAdministrators = (
  status: number,
  request: (user: number, w: World) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({
  in: 'instance',
  lowest: 'administrator',
  status,
  request: async (w) => request((await w.user()).id, w),
})

const ofSelf = (status: number, path = ''): RouteExpectation => ({
  in: 'instance',
  lowest: 'signed in',
  status,
  spendsToken: true,
  request: () => ({ path: `/personal_access_tokens/self${path}` }),
})

async function impersonation(user: number, w: World): Promise<string> {
  const path = `/users/${user}/impersonation_tokens`
  const { body } = await w.root.post(path, fresh(['api']))
  return `${path}/${body.id}`
}

/** A token of somebody else: 401 for whoever is no administrator, so that nobody learns which ids there are. */
const ofOthers = (status: number, path = ''): RouteExpectation => ({
  in: 'instance',
  lowest: 'administrator',
  refusal: 401,
  status,
  request: async (w) => ({
    path: `/personal_access_tokens/${(await w.token(await w.user())).id}${path}`,
  }),
})

export const tokenExpectations: RouteExpectations = {
  'GET /personal_access_tokens': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: () => ({ path: '/personal_access_tokens' }),
  },
  'GET /personal_access_tokens/:id': ofOthers(200),
  'POST /personal_access_tokens/:id/rotate': ofOthers(200, '/rotate'),
  'DELETE /personal_access_tokens/:id': ofOthers(204),
  'GET /personal_access_tokens/self': ofSelf(200),
  'GET /personal_access_tokens/self/associations': ofSelf(200, '/associations'),
  'POST /personal_access_tokens/self/rotate': ofSelf(200, '/rotate'),
  'DELETE /personal_access_tokens/self': ofSelf(204),
  'POST /user/personal_access_tokens': {
    in: 'instance',
    lowest: 'signed in',
    status: 201,
    request: () => ({ path: '/user/personal_access_tokens', json: fresh(['self_rotate']) }),
  },
  'POST /users/:user_id/personal_access_tokens': forAdministrators(201, async (user) => ({
    path: `/users/${user}/personal_access_tokens`,
    json: fresh(['api']),
  })),
  'GET /users/:user_id/impersonation_tokens': forAdministrators(200, async (user) => ({
    path: `/users/${user}/impersonation_tokens`,
  })),
  'GET /users/:user_id/impersonation_tokens/:impersonation_token_id': forAdministrators(
    200,
    async (user, w) => ({ path: await impersonation(user, w) }),
  ),
  'POST /users/:user_id/impersonation_tokens': forAdministrators(201, async (user) => ({
    path: `/users/${user}/impersonation_tokens`,
    json: fresh(['api']),
  })),
  'DELETE /users/:user_id/impersonation_tokens/:impersonation_token_id': forAdministrators(
    204,
    async (user, w) => ({ path: await impersonation(user, w) }),
  ),
}
