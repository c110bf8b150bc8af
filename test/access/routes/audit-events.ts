import type { RouteExpectations } from '../route-expectation.ts'
import type { Client } from '../../client.ts'

/** The newest event of a list. */
async function newest(by: Client, list: string): Promise<string> {
  const { body } = await by.get(`${list}?per_page=1`)
  return `${list}/${body[0].id}`
}

export const auditEventExpectations: RouteExpectations = {
  'GET /audit_events': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: () => ({ path: '/audit_events' }),
  },
  'GET /audit_events/:id': {
    in: 'instance',
    lowest: 'administrator',
    status: 200,
    request: async (w) => ({ path: await newest(w.root, '/audit_events') }),
  },
  'GET /groups/:id/audit_events': {
    in: 'group',
    lowest: 'owner',
    status: 200,
    request: ({ id }) => ({ path: `/groups/${id}/audit_events` }),
  },
  'GET /groups/:id/audit_events/:audit_event_id': {
    in: 'group',
    lowest: 'owner',
    status: 200,
    request: async ({ id, owner }) => ({ path: await newest(owner, `/groups/${id}/audit_events`) }),
  },
  'GET /projects/:id/audit_events': {
    in: 'project',
    lowest: 'maintainer',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/audit_events` }),
  },
  'GET /projects/:id/audit_events/:audit_event_id': {
    in: 'project',
    lowest: 'maintainer',
    status: 200,
    request: async ({ id, owner }) => ({ path: await newest(owner, `/projects/${id}/audit_events`) }),
  },
}
