import { genericFile, genericPackage, publishGeneric } from '#registries/packages/test-support.ts'
import {
  onceIn,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'
import { unique } from '#test/world.ts'

const base = ({ id }: { readonly id: number }) => `/projects/${id}/packages`
const rules = (place: ProjectPlace) => `${base(place)}/protection/rules`

const kept = onceIn((place) => genericPackage(place.admin, place, { name: unique('kept') }))

const newRule = () => ({
  package_name_pattern: unique('@scope/*'),
  package_type: 'npm',
  minimum_access_level_for_push: 'owner',
})

async function madeRule(place: ProjectPlace): Promise<string> {
  const { body } = await place.admin.post(rules(place), newRule())
  return `${rules(place)}/${body.id}`
}

type Request = Extract<RouteExpectation, { in: 'project' }>['request']

const reading = (request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request,
})

const changing = (
  lowest: 'developer' | 'maintainer',
  status: number,
  request: Request,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: false, request })

const policy = (place: ProjectPlace) => `${base(place)}/cleanup_policy`

export const packageExpectations: RouteExpectations = {
  'GET /projects/:id/packages': reading((place) => ({ path: base(place) })),
  'GET /projects/:id/packages/:package_id': reading(async (place) => ({
    path: `${base(place)}/${await kept(place)}`,
  })),
  'GET /projects/:id/packages/:package_id/package_files': reading(async (place) => ({
    path: `${base(place)}/${await kept(place)}/package_files`,
  })),
  'GET /projects/:id/packages/:package_id/pipelines': reading(async (place) => ({
    path: `${base(place)}/${await kept(place)}/pipelines`,
  })),
  'DELETE /projects/:id/packages/:package_id': changing('maintainer', 204, async (place) => ({
    path: `${base(place)}/${await genericPackage(place.admin, place, { name: unique('gone') })}`,
  })),
  'DELETE /projects/:id/packages/:package_id/package_files/:package_file_id': changing(
    'maintainer',
    204,
    async (place) => {
      const { body } = await publishGeneric(place.admin, place, { query: '?select=package_file' })
      return { path: `${base(place)}/${body.package_id}/package_files/${body.id}` }
    },
  ),
  'GET /groups/:id/packages': {
    in: 'group',
    lowest: 'readers',
    status: 200,
    request: ({ id }) => ({ path: `/groups/${id}/packages` }),
  },

  'GET /projects/:id/packages/generic/:package_name/:package_version/:file_name': reading(async (place) => {
    await kept(place)
    const { body } = await place.admin.get(`${base(place)}/${await kept(place)}`)
    return { path: genericFile(place, { name: body.name }) }
  }),
  'PUT /projects/:id/packages/generic/:package_name/:package_version/:file_name': changing(
    'developer',
    201,
    (place) => ({ path: genericFile(place), form: 'content' }),
  ),

  'GET /projects/:id/packages/protection/rules': changing('maintainer', 200, (place) => ({
    path: rules(place),
  })),
  'POST /projects/:id/packages/protection/rules': changing('maintainer', 201, (place) => ({
    path: rules(place),
    json: newRule(),
  })),
  'PATCH /projects/:id/packages/protection/rules/:package_protection_rule_id': changing(
    'maintainer',
    200,
    async (place) => ({
      path: await madeRule(place),
      json: { minimum_access_level_for_push: 'admin' },
    }),
  ),
  'DELETE /projects/:id/packages/protection/rules/:package_protection_rule_id': changing(
    'maintainer',
    204,
    async (place) => ({ path: await madeRule(place) }),
  ),

  'GET /projects/:id/packages/cleanup_policy': changing('maintainer', 200, (place) => ({
    path: policy(place),
  })),
  'PUT /projects/:id/packages/cleanup_policy': changing('maintainer', 200, (place) => ({
    path: policy(place),
    json: { keep_n_duplicated_package_files: 10 },
  })),
  'GET /groups/:id/packages/settings': {
    in: 'group',
    lowest: 'maintainer',
    status: 200,
    whileArchived: false,
    request: ({ id }) => ({ path: `/groups/${id}/packages/settings` }),
  },
  'PUT /groups/:id/packages/settings': {
    in: 'group',
    lowest: 'maintainer',
    status: 200,
    whileArchived: false,
    request: ({ id }) => ({
      path: `/groups/${id}/packages/settings`,
      json: { generic_duplicates_allowed: true },
    }),
  },
}
