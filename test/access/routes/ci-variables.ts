import { unique, w, type Place } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

type Kind = 'project' | 'group'

const given = () => ({ key: unique('KEY').replaceAll('-', '_'), value: 'a value' })

/** Maintainers keep the variables of a project, owners those of a group; nobody else reads them. */
function expectationsOf(kind: Kind): RouteExpectations {
  const base = ({ id }: Place) => `/${kind}s/${id}/variables`
  const made = async (place: Place, json?: object): Promise<Asking> => ({
    path: `${base(place)}/${(await place.owner.post(base(place), given())).body.key}`,
    json,
  })
  const lowest = kind === 'project' ? 'maintainer' : 'owner'
  const cell = (
    status: number,
    request: (place: Place) => Asking | Promise<Asking>,
    whileArchived = true,
  ): RouteExpectation => ({ in: kind, lowest, status, whileArchived, request })
  const at = (method: string, rest = '') => `${method} /${kind}s/:id/variables${rest}`
  return {
    [at('GET')]: cell(200, (place) => ({ path: base(place) })),
    [at('GET', '/:key')]: cell(200, (place) => made(place)),
    [at('POST')]: cell(201, (place) => ({ path: base(place), json: given() }), false),
    [at('PUT', '/:key')]: cell(200, (place) => made(place, { value: 'new' }), false),
    [at('DELETE', '/:key')]: cell(204, (place) => made(place), false),
  }
}

const ofInstance = '/admin/ci/variables'
const madeForAll = async (json?: object): Promise<Asking> => ({
  path: `${ofInstance}/${(await w.root.post(ofInstance, given())).body.key}`,
  json,
})
const cellOfInstance = (status: number, request: () => Asking | Promise<Asking>): RouteExpectation => ({
  in: 'instance',
  lowest: 'administrator',
  status,
  request,
})

export const ciVariableExpectations: RouteExpectations = {
  ...expectationsOf('project'),
  ...expectationsOf('group'),
  [`GET ${ofInstance}`]: cellOfInstance(200, () => ({ path: ofInstance })),
  [`GET ${ofInstance}/:key`]: cellOfInstance(200, () => madeForAll()),
  [`POST ${ofInstance}`]: cellOfInstance(201, () => ({ path: ofInstance, json: given() })),
  [`PUT ${ofInstance}/:key`]: cellOfInstance(200, () => madeForAll({ value: 'new' })),
  [`DELETE ${ofInstance}/:key`]: cellOfInstance(204, () => madeForAll()),
}
