import type { RouteExpectations } from '#test/access/route-expectation.ts'

export const markupExpectations: RouteExpectations = {
  'POST /markdown': {
    in: 'instance',
    lowest: 'anonymous',
    status: 201,
    request: () => ({ path: '/markdown', json: { text: '*Hello*' } }),
  },
}
