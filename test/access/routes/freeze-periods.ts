import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'

/** Reporters read freeze periods, and Maintainers keep them. */
const inProject = (
  lowest: 'reporter' | 'maintainer',
  status: number,
  request: (place: ProjectPlace) => Asking | Promise<Asking>,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived: lowest === 'reporter', request })

const base = ({ id }: ProjectPlace) => `/projects/${id}/freeze_periods`
const weekend = { freeze_start: '0 23 * * 5', freeze_end: '0 7 * * 1' }

const made = async (place: ProjectPlace): Promise<string> =>
  `${base(place)}/${(await place.admin.post(base(place), weekend)).body.id}`

export const freezePeriodExpectations: RouteExpectations = {
  'GET /projects/:id/freeze_periods': inProject('reporter', 200, (place) => ({ path: base(place) })),
  'GET /projects/:id/freeze_periods/:freeze_period_id': inProject('reporter', 200, async (place) => ({
    path: await made(place),
  })),
  'POST /projects/:id/freeze_periods': inProject('maintainer', 201, (place) => ({
    path: base(place),
    json: weekend,
  })),
  'PUT /projects/:id/freeze_periods/:freeze_period_id': inProject('maintainer', 200, async (place) => ({
    path: await made(place),
    json: { freeze_end: '0 8 * * 1' },
  })),
  'DELETE /projects/:id/freeze_periods/:freeze_period_id': inProject('maintainer', 204, async (place) => ({
    path: await made(place),
  })),
}
