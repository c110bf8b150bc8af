import type { Place } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

type Kind = 'project' | 'group'

const urls = { link_url: 'https://ci.example.com/', image_url: 'https://ci.example.com/badge.svg' }

/** Whoever may see a project or group reads its badges; maintainers keep those of a project, owners those of a group. */
function expectationsOf(kind: Kind): RouteExpectations {
  const base = ({ id }: Place) => `/${kind}s/${id}/badges`
  const made = async (place: Place, json?: object): Promise<Asking> => ({
    path: `${base(place)}/${(await place.owner.post(base(place), urls)).body.id}`,
    json,
  })
  const keeper = kind === 'project' ? 'maintainer' : 'owner'
  const cell = (
    lowest: 'readers' | typeof keeper,
    status: number,
    request: (place: Place) => Asking | Promise<Asking>,
    whileArchived = true,
  ): RouteExpectation => ({ in: kind, lowest, status, whileArchived, request })
  const at = (method: string, rest = '') => `${method} /${kind}s/:id/badges${rest}`
  return {
    [at('GET')]: cell('readers', 200, (place) => ({ path: base(place) })),
    [at('GET', '/:badge_id')]: cell('readers', 200, (place) => made(place)),
    [at('GET', '/render')]: cell(keeper, 200, (place) => ({
      path: `${base(place)}/render?${new URLSearchParams(urls).toString()}`,
    })),
    [at('POST')]: cell(keeper, 201, (place) => ({ path: base(place), json: urls }), false),
    [at('PUT', '/:badge_id')]: cell(keeper, 200, (place) => made(place, { name: 'new' }), false),
    [at('DELETE', '/:badge_id')]: cell(keeper, 204, (place) => made(place), false),
  }
}

export const badgeExpectations: RouteExpectations = {
  ...expectationsOf('project'),
  ...expectationsOf('group'),
}
