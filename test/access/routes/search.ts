import type { RouteExpectations } from '#test/access/route-expectation.ts'

export const searchExpectations: RouteExpectations = {
  'GET /search': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: () => ({ path: '/search?scope=issues&search=word' }),
  },
  'GET /groups/:id/search': {
    in: 'group',
    lowest: 'signed-in readers',
    status: 200,
    request: ({ id }) => ({ path: `/groups/${id}/search?scope=projects&search=word` }),
  },
  'GET /projects/:id/search': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/search?scope=issues&search=word` }),
  },
}
