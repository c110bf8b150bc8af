import { type Place, unique } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

type Kind = 'project' | 'group'
type Ask = (place: Place, base: string) => Asking | Promise<Asking>

const fresh = () => ({ name: unique('token'), scopes: ['api'], access_level: 10 })

/** The same for both kinds; the tokens of a project are its maintainers' affair, those of a group its owners'. */
function expectationsOf(kind: Kind): RouteExpectations {
  const lowest = kind === 'project' ? 'maintainer' : 'owner'
  const base = ({ id }: Place) => `/${kind}s/${id}/access_tokens`
  const managed = (status: number, ask: Ask, more: object = {}): RouteExpectation => ({
    in: kind,
    lowest,
    status,
    request: (place: Place) => ask(place, base(place)),
    ...more,
  })
  /** People do not get at tokens by way of `self`, whatever their role. */
  const ofSelf = (status: number, rest = ''): RouteExpectation => ({
    in: kind,
    lowest: 'signed-in readers',
    status,
    request: (place: Place) => ({ path: `${base(place)}/self${rest}` }),
  })
  const made = async ({ owner }: Place, path: string): Promise<Asking> => ({
    path: `${path}/${(await owner.post(path, fresh())).body.id}`,
  })
  const at = (method: string, rest = '') => `${method} /${kind}s/:id/access_tokens${rest}`
  return {
    [at('GET')]: managed(200, (_, path) => ({ path })),
    [at('GET', '/:token_id')]: managed(200, made),
    [at('POST')]: managed(201, (_, path) => ({ path, json: fresh() }), { whileArchived: false }),
    [at('POST', '/:token_id/rotate')]: managed(
      200,
      async (place, base) => ({ path: `${(await made(place, base)).path}/rotate` }),
      { refusal: 401 },
    ),
    [at('DELETE', '/:token_id')]: managed(204, made),
    [at('GET', '/self')]: ofSelf(400),
    [at('POST', '/self/rotate')]: ofSelf(405, '/rotate'),
    [at('DELETE', '/self')]: ofSelf(400),
  }
}

export const placeTokenExpectations: RouteExpectations = {
  ...expectationsOf('project'),
  ...expectationsOf('group'),
}
