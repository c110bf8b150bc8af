import { type Place, unique } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

type Kind = 'project' | 'group'

const fresh = () => ({ name: unique('token'), scopes: ['read_repository'] })

/** Maintainers keep those of a project, and read those of a group, which its owners keep. */
function expectationsOf(kind: Kind): RouteExpectations {
  const base = ({ id }: Place) => `/${kind}s/${id}/deploy_tokens`
  const made = async (place: Place): Promise<Asking> => ({
    path: `${base(place)}/${(await place.owner.post(base(place), fresh())).body.id}`,
  })
  const cell = (
    lowest: 'maintainer' | 'owner',
    status: number,
    request: (place: Place) => Asking | Promise<Asking>,
    whileArchived = true,
  ): RouteExpectation => ({ in: kind, lowest, status, whileArchived, request })
  const keeper = kind === 'project' ? 'maintainer' : 'owner'
  const at = (method: string, rest = '') => `${method} /${kind}s/:id/deploy_tokens${rest}`
  return {
    [at('GET')]: cell('maintainer', 200, (place) => ({ path: base(place) })),
    [at('GET', '/:token_id')]: cell('maintainer', 200, made),
    [at('POST')]: cell(keeper, 201, (place) => ({ path: base(place), json: fresh() }), false),
    [at('DELETE', '/:token_id')]: cell(keeper, 204, made),
  }
}

export const deployTokenExpectations: RouteExpectations = {
  'GET /deploy_tokens': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: () => ({ path: '/deploy_tokens' }),
  },
  ...expectationsOf('project'),
  ...expectationsOf('group'),
}
