import type { UserState } from '#platform/db/schema.ts'
import { unique, type World } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const instance = (
  lowest: 'anonymous' | 'signed in' | 'administrator',
  status: number,
  request: (w: World) => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'instance', lowest, status, request })

/** A verb about a fresh user, who is in that state. */
const about =
  (suffix: string, state: UserState = 'active') =>
  async (w: World) => {
    const { id } = await w.user()
    await w.db.updateTable('users').set({ state }).where('id', '=', id).execute()
    return { path: `/users/${id}${suffix}` }
  }

/** Reading one account, which callers without credentials may not. */
const oneAccount = (suffix: string): RouteExpectation => ({
  in: 'instance',
  lowest: 'signed in',
  nobody: 403,
  status: 200,
  request: about(suffix),
})

const account = () => {
  const username = unique('account')
  return { username, name: username, email: `${username}@example.com`, force_random_password: true }
}
const preferences = { view_diffs_file_by_file: true, show_whitespace_in_diffs: true }

export const userExpectations: RouteExpectations = {
  'GET /user': instance('signed in', 200, () => ({ path: '/user' })),
  'PUT /user': instance('signed in', 200, () => ({ path: '/user', json: { bio: 'Changed' } })),
  'GET /user_counts': instance('signed in', 200, () => ({ path: '/user_counts' })),
  'GET /user/status': instance('signed in', 200, () => ({ path: '/user/status' })),
  'PUT /user/status': instance('signed in', 200, () => ({ path: '/user/status', json: {} })),
  'PATCH /user/status': instance('signed in', 200, () => ({ path: '/user/status', json: {} })),
  'GET /user/preferences': instance('signed in', 200, () => ({ path: '/user/preferences' })),
  'PUT /user/preferences': instance('signed in', 200, () => ({
    path: '/user/preferences',
    json: preferences,
  })),
  'GET /users': instance('anonymous', 200, () => ({ path: '/users?username=root' })),
  'GET /users/:id': oneAccount(''),
  'GET /users/:id_or_username/status': oneAccount('/status'),
  'GET /users/:id/memberships': instance('administrator', 200, about('/memberships')),
  // And the user: src/identity/users/users.test.ts.
  'GET /users/:id/associations_count': instance('administrator', 200, about('/associations_count')),
  'POST /users': instance('administrator', 201, () => ({ path: '/users', json: account() })),
  'PUT /users/:id': instance('administrator', 200, async (w) => ({
    ...(await about('')(w)),
    json: { bio: 'Changed' },
  })),
  'DELETE /users/:id': instance('administrator', 204, about('')),
  'DELETE /users/:id/identities/:provider': instance('administrator', 204, async (w) => {
    const { path } = await about('')(w)
    await w.root.put(path, { provider: 'saml', extern_uid: unique('identity') })
    return { path: `${path}/identities/saml` }
  }),
  'POST /users/:id/block': instance('administrator', 201, about('/block')),
  'POST /users/:id/unblock': instance('administrator', 201, about('/unblock', 'blocked')),
  'POST /users/:id/ban': instance('administrator', 201, about('/ban')),
  'POST /users/:id/unban': instance('administrator', 201, about('/unban', 'banned')),
  'POST /users/:id/activate': instance('administrator', 201, about('/activate', 'deactivated')),
  'POST /users/:id/deactivate': instance('administrator', 201, about('/deactivate')),
  'POST /users/:id/approve': instance('administrator', 201, about('/approve', 'blocked_pending_approval')),
  'POST /users/:id/reject': instance('administrator', 200, about('/reject', 'blocked_pending_approval')),
}
