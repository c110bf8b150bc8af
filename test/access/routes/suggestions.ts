import type { RouteExpectations } from '#test/access/route-expectation.ts'

/** Nobody has such a suggestion. Who may apply one is in src/code/merge-requests/suggestions. */
const UNKNOWN = 2 ** 31 + 1

export const suggestionExpectations: RouteExpectations = {
  'PUT /suggestions/:id/apply': {
    in: 'instance',
    lowest: 'signed in',
    status: 404,
    request: () => ({ path: `/suggestions/${UNKNOWN}/apply` }),
  },
  'PUT /suggestions/batch_apply': {
    in: 'instance',
    lowest: 'signed in',
    status: 404,
    request: () => ({ path: '/suggestions/batch_apply', json: { ids: [UNKNOWN] } }),
  },
}
