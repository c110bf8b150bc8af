import { levels } from '#platform/access/roles.ts'
import { unique } from '#test/world.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'
import type { Place, World } from '#test/world.ts'

type InProject = Extract<RouteExpectation, { in: 'project' }>

const inProject = (
  lowest: InProject['lowest'],
  status: number,
  request: (place: ProjectPlace, w: World) => Asking | Promise<Asking>,
  whileArchived = true,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived, request })

const at =
  (rest: string, json?: unknown) =>
  ({ id }: Place): Asking => ({ path: `/projects/${id}${rest}`, ...(json === undefined ? {} : { json }) })

const atGroup =
  (rest: string) =>
  ({ id }: Place): Asking => ({ path: `/groups/${id}${rest}` })

const anybody = (request: (w: World) => Asking | Promise<Asking>): RouteExpectation => ({
  in: 'instance',
  lowest: 'anonymous',
  status: 200,
  request,
})

/** A group that everybody sees and nobody is in. */
async function authorizeGroup(w: World): Promise<number> {
  return (await w.group({ visibility: 'public' })).id
}

async function shared({ id, namespaceId }: ProjectPlace, w: World): Promise<Asking> {
  const groupId = await authorizeGroup(w)
  const created_at = new Date().toISOString()
  await w.db
    .insertInto('shares')
    .values({ namespace_id: namespaceId, group_id: groupId, access_level: levels.guest, created_at })
    .execute()
  return { path: `/projects/${id}/share/${groupId}` }
}

/** A group in which the owner of the project may make projects. */
async function transfer({ id, owner }: ProjectPlace, w: World): Promise<Asking> {
  const group = await w.group({ visibility: 'public' })
  await w.member(group.id, owner, levels.owner)
  return { path: `/projects/${id}/transfer`, json: { namespace: group.id } }
}

export const projectExpectations: RouteExpectations = {
  'GET /projects': anybody(() => ({ path: '/projects' })),
  'GET /projects/:id': inProject('readers', 200, at('')),
  'POST /projects': {
    in: 'instance',
    lowest: 'signed in',
    status: 201,
    request: () => ({ path: '/projects', json: { name: unique('project') } }),
  },
  'POST /projects/user/:user_id': {
    in: 'instance',
    lowest: 'administrator',
    status: 201,
    request: async (w) => ({
      path: `/projects/user/${(await w.user()).id}`,
      json: { name: unique('project') },
    }),
  },
  // Archived ones take being unarchived; that they take nothing else is in tenancy/projects/projects.test.ts.
  'PUT /projects/:id': inProject('maintainer', 200, at('', { description: 'x' })),
  'DELETE /projects/:id': inProject('owner', 202, at('')),
  'POST /projects/:id/archive': inProject('owner', 201, at('/archive')),
  'POST /projects/:id/unarchive': inProject('owner', 201, at('/unarchive')),
  'POST /projects/:id/star': inProject('signed-in readers', 201, at('/star')),
  'POST /projects/:id/unstar': inProject('signed-in readers', 304, at('/unstar')),
  'PUT /projects/:id/transfer': inProject('owner', 200, transfer, false),
  'GET /projects/:id/transfer_locations': inProject('owner', 200, at('/transfer_locations'), false),
  'GET /projects/:id/storage': inProject('administrator', 200, at('/storage')),
  'GET /projects/:id/snapshot': inProject('administrator', 200, at('/snapshot')),
  'GET /projects/:id/users': inProject('readers', 200, at('/users')),
  'GET /projects/:id/starrers': inProject('readers', 200, at('/starrers')),
  'GET /projects/:id/groups': inProject('readers', 200, at('/groups')),
  'GET /projects/:id/invited_groups': inProject('readers', 200, at('/invited_groups')),
  'POST /projects/:id/share': inProject(
    'maintainer',
    201,
    async ({ id }, w) => ({
      path: `/projects/${id}/share`,
      json: { group_id: await authorizeGroup(w), group_access: levels.guest },
    }),
    false,
  ),
  'DELETE /projects/:id/share/:group_id': inProject('maintainer', 204, shared, false),
  'GET /groups/:id/projects': {
    in: 'group',
    lowest: 'readers',
    status: 200,
    request: atGroup('/projects'),
  },
  'GET /groups/:id/projects/shared': {
    in: 'group',
    lowest: 'readers',
    status: 200,
    request: atGroup('/projects/shared'),
  },
  'POST /groups/:id/projects/:project_id': {
    in: 'group',
    lowest: 'administrator',
    status: 201,
    whileArchived: false,
    request: async ({ id }, w) => ({ path: `/groups/${id}/projects/${(await w.project()).id}` }),
  },
  'GET /users/:user_id/projects': anybody(async (w) => ({ path: `/users/${(await w.user()).id}/projects` })),
  'GET /users/:user_id/starred_projects': anybody(async (w) => ({
    path: `/users/${(await w.user()).id}/starred_projects`,
  })),
  'GET /users/:user_id/contributed_projects': anybody(async (w) => ({
    path: `/users/${(await w.user()).id}/contributed_projects`,
  })),
}
