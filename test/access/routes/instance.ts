import type { RouteExpectations } from '../route-expectation.ts'

export const instanceExpectations: RouteExpectations = {
  'GET /openapi': {
    in: 'instance',
    lowest: 'anonymous',
    status: 200,
    request: () => ({ path: '/openapi' }),
  },
}
