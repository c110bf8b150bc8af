import type { RouteExpectations } from '#test/access/route-expectation.ts'

export const eventExpectations: RouteExpectations = {
  'GET /events': { in: 'instance', lowest: 'signed in', status: 200, request: () => ({ path: '/events' }) },
  'GET /users/:id/events': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: () => ({ path: '/users/root/events' }),
  },
  'GET /projects/:project_id/events': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/events` }),
  },
}
