import type { World } from '#test/world.ts'
import { unique } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const fresh = () => ({ email: `${unique('further')}@example.com` })

const instance = (
  lowest: 'signed in' | 'administrator',
  status: number,
  request: (w: World) => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'instance', lowest, status, request })

async function ofSomebody(w: World): Promise<string> {
  const user = await w.user()
  const { body } = await w.root.post(`/users/${user.id}/emails`, { ...fresh(), skip_confirmation: true })
  return `/users/${user.id}/emails/${body.id}`
}

/** An address of whoever asks cannot be made before it is known who asks. */
const ofNobody = { path: '/user/emails/999999999' }

export const emailExpectations: RouteExpectations = {
  'GET /user/emails': instance('signed in', 200, () => ({ path: '/user/emails' })),
  'GET /user/emails/:email_id': instance('signed in', 404, () => ofNobody),
  'POST /user/emails': instance('signed in', 201, () => ({ path: '/user/emails', json: fresh() })),
  'DELETE /user/emails/:email_id': instance('signed in', 404, () => ofNobody),
  'GET /users/:id/emails': instance('administrator', 200, async (w) => ({
    path: `/users/${(await w.user()).id}/emails`,
  })),
  'POST /users/:id/emails': instance('administrator', 201, async (w) => ({
    path: `/users/${(await w.user()).id}/emails`,
    json: fresh(),
  })),
  'DELETE /users/:id/emails/:email_id': instance('administrator', 204, async (w) => ({
    path: await ofSomebody(w),
  })),
}
