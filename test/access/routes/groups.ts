import { type Place, unique, type World } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

type Lowest = 'readers' | 'owner'

const inGroup = (
  lowest: Lowest,
  status: number,
  request: (place: Place, w: World) => Asking | Promise<Asking>,
  whileArchived = lowest === 'readers',
): RouteExpectation => ({ in: 'group', lowest, status, whileArchived, request })

const list = (what: string) => inGroup('readers', 200, ({ id }) => ({ path: `/groups/${id}${what}` }))

export const groupExpectations: RouteExpectations = {
  'GET /groups': { in: 'instance', lowest: 'anonymous', status: 200, request: () => ({ path: '/groups' }) },
  'POST /groups': {
    in: 'instance',
    lowest: 'signed in',
    status: 201,
    request: () => ({ path: '/groups', json: { name: 'x', path: unique('made') } }),
  },
  'GET /groups/:id': list(''),
  'PUT /groups/:id': inGroup('owner', 200, ({ id }) => ({
    path: `/groups/${id}`,
    json: { description: unique('about') },
  })),
  'DELETE /groups/:id': inGroup('owner', 202, ({ id }) => ({ path: `/groups/${id}` }), true),
  'POST /groups/:id/archive': inGroup('owner', 201, ({ id }) => ({ path: `/groups/${id}/archive` }), true),
  'POST /groups/:id/unarchive': inGroup(
    'owner',
    201,
    ({ id }) => ({ path: `/groups/${id}/unarchive` }),
    true,
  ),
  'GET /groups/:id/subgroups': list('/subgroups'),
  'GET /groups/:id/descendant_groups': list('/descendant_groups'),
  'GET /groups/:id/groups/shared': list('/groups/shared'),
  'GET /groups/:id/invited_groups': list('/invited_groups'),
  'GET /groups/:id/transfer_locations': inGroup('owner', 200, ({ id }) => ({
    path: `/groups/${id}/transfer_locations`,
  })),
  'POST /groups/:id/transfer': inGroup('owner', 201, async (place, w) => {
    const target = await w.group()
    await w.member(target.id, place.owner, 50)
    return { path: `/groups/${place.id}/transfer`, json: { group_id: target.id } }
  }),
  'POST /groups/:id/share': inGroup('owner', 201, async ({ id }, w) => {
    const guests = await w.group({ visibility: 'public' })
    return { path: `/groups/${id}/share`, json: { group_id: guests.id, group_access: 10 } }
  }),
  'DELETE /groups/:id/share/:group_id': inGroup('owner', 204, async ({ id }, w) => {
    const guests = await w.group({ visibility: 'public' })
    await w.root.post(`/groups/${id}/share`, { group_id: guests.id, group_access: 10 })
    return { path: `/groups/${id}/share/${guests.id}` }
  }),
}
