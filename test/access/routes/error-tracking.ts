import { sql } from 'kysely'
import type { World } from '#test/world.ts'
import type { Asking, ProjectPlace, RouteExpectations } from '#test/access/route-expectation.ts'

const on = { active: true, integrated: true }
const base = ({ id }: ProjectPlace) => `/projects/${id}/error_tracking`

async function prepared(place: ProjectPlace): Promise<string> {
  await place.owner.put(`${base(place)}/settings`, on)
  return `${base(place)}/settings`
}

/** An error, as the job makes one. */
async function error(place: ProjectPlace, w: World): Promise<string> {
  const { rows } = await sql<{ id: number }>`
    insert into errors (project_id, fingerprint, title, level, first_seen_at, last_seen_at)
    values (${place.id}, decode(md5(random()::text), 'hex'), 'Error: it failed', 'error', now(), now())
    returning id`.execute(w.db)
  return `${base(place)}/errors/${rows[0]?.id}`
}

const key = async (place: ProjectPlace): Promise<Asking> => ({
  path: `${base(place)}/client_keys/${(await place.owner.post(`${base(place)}/client_keys`)).body.id}`,
})

const keeps = { in: 'project', lowest: 'maintainer', whileArchived: false } as const

/** Maintainers set error tracking up; reporters read errors, and developers say what becomes of them. */
export const errorTrackingExpectations: RouteExpectations = {
  'GET /projects/:id/error_tracking/settings': {
    in: 'project',
    lowest: 'maintainer',
    status: 200,
    request: async (place) => ({ path: await prepared(place) }),
  },
  'PUT /projects/:id/error_tracking/settings': {
    ...keeps,
    status: 200,
    request: (place: ProjectPlace) => ({ path: `${base(place)}/settings`, json: on }),
  },
  'PATCH /projects/:id/error_tracking/settings': {
    ...keeps,
    status: 200,
    request: async (place: ProjectPlace) => ({ path: await prepared(place), json: { active: false } }),
  },
  'GET /projects/:id/error_tracking/client_keys': {
    in: 'project',
    lowest: 'maintainer',
    status: 200,
    request: (place) => ({ path: `${base(place)}/client_keys` }),
  },
  'POST /projects/:id/error_tracking/client_keys': {
    ...keeps,
    status: 201,
    request: (place: ProjectPlace) => ({ path: `${base(place)}/client_keys`, json: {} }),
  },
  'DELETE /projects/:id/error_tracking/client_keys/:key_id': { ...keeps, status: 204, request: key },
  'GET /projects/:id/error_tracking/errors': {
    in: 'project',
    lowest: 'reporter',
    status: 200,
    request: (place) => ({ path: `${base(place)}/errors` }),
  },
  'GET /projects/:id/error_tracking/errors/:error_id': {
    in: 'project',
    lowest: 'reporter',
    status: 200,
    request: async (place, w) => ({ path: await error(place, w) }),
  },
  'GET /projects/:id/error_tracking/errors/:error_id/events': {
    in: 'project',
    lowest: 'reporter',
    status: 200,
    request: async (place, w) => ({ path: `${await error(place, w)}/events` }),
  },
  'PUT /projects/:id/error_tracking/errors/:error_id': {
    in: 'project',
    lowest: 'developer',
    status: 200,
    whileArchived: false,
    request: async (place, w) => ({ path: await error(place, w), json: { status: 'resolved' } }),
  },
}
