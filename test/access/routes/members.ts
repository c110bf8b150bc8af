import type { Place, World } from '#test/world.ts'
import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

type Kind = 'project' | 'group'
type Ask = (place: Place, w: World, base: string) => Promise<{ path: string; json?: unknown }>

/** The same for both kinds; who runs the members of a project is a maintainer, of a group an owner. */
function expectationsOf(kind: Kind): RouteExpectations {
  const base = (id: number) => `/${kind}s/${id}/members`
  const asked = (lowest: 'readers' | 'changers', status: number, ask: Ask): RouteExpectation => {
    const changers = kind === 'project' ? 'maintainer' : 'owner'
    const request = (place: Place, w: World) => ask(place, w, base(place.id))
    const common = { status, whileArchived: lowest === 'readers', request }
    return { in: kind, lowest: lowest === 'readers' ? 'readers' : changers, ...common }
  }
  const added = async ({ id }: Place, w: World) => {
    const user = await w.user()
    await w.root.post(base(id), { user_id: user.id, access_level: 10 })
    return user.id
  }
  const at = (method: string, rest = '') => `${method} /${kind}s/:id/members${rest}`
  return {
    [at('GET')]: asked('readers', 200, async (_, __, path) => ({ path })),
    [at('GET', '/all')]: asked('readers', 200, async (_, __, path) => ({ path: `${path}/all` })),
    [at('GET', '/:user_id')]: asked('readers', 200, async ({ guest }, _, path) => ({
      path: `${path}/${guest.id}`,
    })),
    [at('GET', '/all/:user_id')]: asked('readers', 200, async ({ guest }, _, path) => ({
      path: `${path}/all/${guest.id}`,
    })),
    [at('POST')]: asked('changers', 201, async (_, w, path) => ({
      path,
      json: { user_id: (await w.user()).id, access_level: 10 },
    })),
    [at('PUT', '/:user_id')]: asked('changers', 200, async (place, w, path) => ({
      path: `${path}/${await added(place, w)}`,
      json: { access_level: 20 },
    })),
    [at('DELETE', '/:user_id')]: asked('changers', 204, async (place, w, path) => ({
      path: `${path}/${await added(place, w)}`,
    })),
  }
}

export const memberExpectations: RouteExpectations = {
  ...expectationsOf('project'),
  ...expectationsOf('group'),
}
