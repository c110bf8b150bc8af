import type { RouteExpectations } from '#test/access/route-expectation.ts'

export const namespaceExpectations: RouteExpectations = {
  'GET /namespaces': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: () => ({ path: '/namespaces' }),
  },
  'GET /namespaces/:id': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: async (w) => ({ path: `/namespaces/${(await w.group({ visibility: 'public' })).id}` }),
  },
  'GET /namespaces/:id/exists': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: () => ({ path: '/namespaces/root/exists' }),
  },
  'PUT /namespaces/:id': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: async (w) => ({ path: `/namespaces/${(await w.group()).id}` }),
  },
}
