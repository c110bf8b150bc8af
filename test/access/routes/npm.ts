import { documentOf, npmPackage, publishNpm } from '#registries/package-formats/npm/test-support.ts'
import { onceIn, type RouteExpectation, type RouteExpectations } from '#test/access/route-expectation.ts'
import { unique } from '#test/world.ts'

const name = '@kept/tool'
const kept = onceIn((place) => publishNpm(place.admin, place, { name }))

type Request = Extract<RouteExpectation, { in: 'project' }>['request']

const reading = (request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request: async (place, world) => {
    await kept(place)
    return request(place, world)
  },
})

const publishing = (status: number, request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'developer',
  status,
  whileArchived: false,
  request: async (place, world) => {
    await kept(place)
    return request(place, world)
  },
})

const tags = ({ id }: { readonly id: number }) => `/projects/${id}/packages/npm/-/package/${name}/dist-tags`

export const npmExpectations: RouteExpectations = {
  'GET /projects/:id/packages/npm/:package_name': reading((place) => ({ path: npmPackage(place, name) })),
  'GET /projects/:id/packages/npm/:package_name/-/:file_name': reading((place) => ({
    path: `${npmPackage(place, name)}/-/tool-1.0.0.tgz`,
  })),
  'PUT /projects/:id/packages/npm/:package_name': publishing(200, async (place) => {
    const fresh = unique('fresh')
    return { path: npmPackage(place, fresh), json: await documentOf({ name: fresh }) }
  }),
  'GET /projects/:id/packages/npm/-/package/:package_name/dist-tags': reading((place) => ({
    path: tags(place),
  })),
  'PUT /projects/:id/packages/npm/-/package/:package_name/dist-tags/:tag': publishing(204, (place) => ({
    path: `${tags(place)}/next`,
    json: '1.0.0',
  })),
  'DELETE /projects/:id/packages/npm/-/package/:package_name/dist-tags/:tag': publishing(
    204,
    async (place) => {
      const path = `${tags(place)}/${unique('old')}`
      await place.admin.put(path, '1.0.0')
      return { path }
    },
  ),
  // Whoever sees the group is answered; what they may not read is not there for them.
  'GET /groups/:id/-/packages/npm/:package_name': {
    in: 'group',
    lowest: 'readers',
    status: 404,
    request: ({ id }) => ({ path: `/groups/${id}/-/packages/npm/none` }),
  },
  'GET /groups/:id/-/packages/npm/-/package/:package_name/dist-tags': {
    in: 'group',
    lowest: 'readers',
    status: 404,
    request: ({ id }) => ({ path: `/groups/${id}/-/packages/npm/-/package/none/dist-tags` }),
  },
}
