import { newSshKey } from '#test/ssh-keys.ts'
import type { Actor, World } from '#test/world.ts'
import { unique } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const fresh = () => ({ title: unique('key'), key: newSshKey() })

const instance = (
  lowest: 'signed in' | 'administrator',
  status: number,
  request: (w: World) => Asking | Promise<Asking>,
  more: { nobody?: 403 } = {},
): RouteExpectation => ({ in: 'instance', lowest, status, request, ...more })

async function ofSomebody(w: World): Promise<{ user: Actor; id: number }> {
  const user = await w.user()
  const { body } = await user.post('/user/keys', fresh())
  return { user, id: body.id }
}

/** A key of whoever asks cannot be made before it is known who asks: nobody has the key, whatever they may do. */
const ofNobody = { path: '/user/keys/999999999' }

export const keyExpectations: RouteExpectations = {
  'GET /user/keys': instance('signed in', 200, () => ({ path: '/user/keys' })),
  'GET /user/keys/:key_id': instance('signed in', 404, () => ofNobody),
  'POST /user/keys': {
    in: 'instance',
    lowest: 'signed in',
    status: 201,
    request: () => ({ path: '/user/keys', json: fresh() }),
  },
  'DELETE /user/keys/:key_id': instance('signed in', 404, () => ofNobody),
  'GET /users/:id_or_username/keys': instance(
    'signed in',
    200,
    async (w) => ({ path: `/users/${(await ofSomebody(w)).user.id}/keys` }),
    { nobody: 403 },
  ),
  'GET /users/:id/keys/:key_id': instance(
    'signed in',
    200,
    async (w) => {
      const { user, id } = await ofSomebody(w)
      return { path: `/users/${user.id}/keys/${id}` }
    },
    { nobody: 403 },
  ),
  'POST /users/:id/keys': instance('administrator', 201, async (w) => ({
    path: `/users/${(await w.user()).id}/keys`,
    json: fresh(),
  })),
  'DELETE /users/:id/keys/:key_id': instance('administrator', 204, async (w) => {
    const { user, id } = await ofSomebody(w)
    return { path: `/users/${user.id}/keys/${id}` }
  }),
  'GET /keys/:id': instance('administrator', 200, async (w) => ({
    path: `/keys/${(await ofSomebody(w)).id}`,
  })),
  'GET /keys': instance('administrator', 200, async (w) => {
    const { body } = await w.root.post('/deploy_keys', fresh())
    return { path: `/keys?fingerprint=${encodeURIComponent(body.fingerprint_sha256)}` }
  }),
}
