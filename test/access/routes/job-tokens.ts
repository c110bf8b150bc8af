import type { RouteExpectations } from '#test/access/route-expectation.ts'

export const ownJobExpectations: RouteExpectations = {
  // Nobody who comes by another credential is a job.
  'GET /job': { in: 'instance', lowest: 'signed in', status: 404, request: () => ({ path: '/job' }) },
}
