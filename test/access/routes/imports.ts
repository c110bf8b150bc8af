import type { RouteExpectations } from '../route-expectation.ts'

export const importExpectations: RouteExpectations = {
  'GET /projects/:id/import': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/import` }),
  },
}
