import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const get = (path: string, lowest: 'signed in' | 'administrator'): RouteExpectation => ({
  in: 'instance',
  lowest,
  status: 200,
  request: () => ({ path }),
})

export const instanceExpectations: RouteExpectations = {
  'GET /openapi': { in: 'instance', lowest: 'anonymous', status: 200, request: () => ({ path: '/openapi' }) },
  'GET /version': get('/version', 'signed in'),
  'GET /metadata': get('/metadata', 'signed in'),
  'GET /application/statistics': get('/application/statistics', 'administrator'),
  'GET /application/settings': get('/application/settings', 'administrator'),
  'PUT /application/settings': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: () => ({ path: '/application/settings', json: { terminal_max_session_time: 0 } }),
  },
}
