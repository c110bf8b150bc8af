import { unique } from '#test/world.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

const inProject = (
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
  whileArchived = false,
): RouteExpectation => ({ in: 'project', lowest: 'maintainer', status, whileArchived, request })

/** The routes for protected branches or tags. */
function of(list: 'protected_branches' | 'protected_tags'): Record<string, RouteExpectation> {
  const made = async ({ id, admin }: ProjectPlace) => {
    const name = unique('name')
    await admin.post(`/projects/${id}/${list}`, { name })
    return { path: `/projects/${id}/${list}/${name}` }
  }
  return {
    [`GET /projects/:id/${list}`]: inProject(200, ({ id }) => ({ path: `/projects/${id}/${list}` }), true),
    [`GET /projects/:id/${list}/:name`]: inProject(200, made, true),
    [`POST /projects/:id/${list}`]: inProject(201, ({ id }) => ({
      path: `/projects/${id}/${list}`,
      json: { name: unique('name') },
    })),
    [`DELETE /projects/:id/${list}/:name`]: inProject(204, made),
    ...(list === 'protected_branches' && {
      [`PATCH /projects/:id/${list}/:name`]: inProject(200, async (place) => ({
        ...(await made(place)),
        json: { allow_force_push: true },
      })),
    }),
  }
}

export const protectedReferenceExpectations: RouteExpectations = {
  ...of('protected_branches'),
  ...of('protected_tags'),
}
