import { withCi } from '#test/access/with-ci.ts'
import {
  type Asking,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'
import { unique } from '#test/world.ts'

// Schedules are the administrator's here, so that Developers, who change their own alone, are refused.

const wanted = { description: 'x', ref: 'ci', cron: '0 1 * * *' }

async function schedule(place: ProjectPlace): Promise<string> {
  const path = `${await withCi(place)}/pipeline_schedules`
  return `${path}/${(await place.admin.post(path, wanted)).body.id}`
}
const variable = () => ({ key: unique('KEY').replaceAll('-', '_'), value: 'x' })
async function scheduleVariable(place: ProjectPlace): Promise<string> {
  const path = `${await schedule(place)}/variables`
  return `${path}/${(await place.admin.post(path, variable())).body.key}`
}
async function trigger(place: ProjectPlace): Promise<string> {
  const path = `/projects/${place.id}/triggers`
  return `${path}/${(await place.admin.post(path, { description: 'x' })).body.id}`
}

const cell = (
  lowest: 'reporter' | 'developer' | 'maintainer',
  status: number,
  request: (place: ProjectPlace) => Promise<Asking>,
  whileArchived = false,
): RouteExpectation => ({ in: 'project', lowest, status, whileArchived, request })
const one = '/projects/:id/pipeline_schedules/:pipeline_schedule_id'

export const scheduleExpectations: RouteExpectations = {
  'GET /projects/:id/pipeline_schedules': cell(
    'reporter',
    200,
    async (place) => ({ path: `${await withCi(place)}/pipeline_schedules` }),
    true,
  ),
  [`GET ${one}`]: cell('reporter', 200, async (place) => ({ path: await schedule(place) }), true),
  [`GET ${one}/pipelines`]: cell(
    'reporter',
    200,
    async (place) => ({ path: `${await schedule(place)}/pipelines` }),
    true,
  ),
  'POST /projects/:id/pipeline_schedules': cell('developer', 201, async (place) => ({
    path: `${await withCi(place)}/pipeline_schedules`,
    json: wanted,
  })),
  [`PUT ${one}`]: cell('maintainer', 200, async (place) => ({
    path: await schedule(place),
    json: { active: false },
  })),
  [`POST ${one}/take_ownership`]: cell('maintainer', 201, async (place) => ({
    path: `${await schedule(place)}/take_ownership`,
  })),
  [`POST ${one}/play`]: cell('developer', 201, async (place) => ({ path: `${await schedule(place)}/play` })),
  [`DELETE ${one}`]: cell('maintainer', 204, async (place) => ({ path: await schedule(place) })),
  [`GET ${one}/variables/:key`]: cell('maintainer', 200, async (place) => ({
    path: await scheduleVariable(place),
  })),
  [`POST ${one}/variables`]: cell('maintainer', 201, async (place) => ({
    path: `${await schedule(place)}/variables`,
    json: variable(),
  })),
  [`PUT ${one}/variables/:key`]: cell('maintainer', 200, async (place) => ({
    path: await scheduleVariable(place),
    json: { value: 'y' },
  })),
  [`DELETE ${one}/variables/:key`]: cell('maintainer', 202, async (place) => ({
    path: await scheduleVariable(place),
  })),
}

export const triggerExpectations: RouteExpectations = {
  'GET /projects/:id/triggers': cell(
    'maintainer',
    200,
    (place) => Promise.resolve({ path: `/projects/${place.id}/triggers` }),
    true,
  ),
  'GET /projects/:id/triggers/:trigger_id': cell(
    'maintainer',
    200,
    async (place) => ({ path: await trigger(place) }),
    true,
  ),
  'POST /projects/:id/triggers': cell('maintainer', 201, (place) =>
    Promise.resolve({ path: `/projects/${place.id}/triggers`, json: { description: 'x' } }),
  ),
  'PUT /projects/:id/triggers/:trigger_id': cell('maintainer', 200, async (place) => ({
    path: await trigger(place),
    json: { description: 'y' },
  })),
  'DELETE /projects/:id/triggers/:trigger_id': cell('maintainer', 204, async (place) => ({
    path: await trigger(place),
  })),
  // The token of the trigger is the only credential.
  'POST /projects/:id/trigger/pipeline': {
    in: 'instance',
    lowest: 'anonymous',
    status: 404,
    request: () => ({ path: '/projects/1/trigger/pipeline', json: { token: 'none', ref: 'main' } }),
  },
  'POST /projects/:id/ref/:ref/trigger/pipeline': {
    in: 'instance',
    lowest: 'anonymous',
    status: 404,
    request: () => ({ path: '/projects/1/ref/main/trigger/pipeline', json: { token: 'none' } }),
  },
}
