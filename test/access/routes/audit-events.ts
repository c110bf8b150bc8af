import type { RouteExpectations } from '../route-expectation.ts'
import type { World } from '../../world.ts'

type EntityType = 'Group' | 'Project'

/** The path of the newest event about a place. */
async function newest(w: World, type: EntityType, id: number): Promise<string> {
  const { id: event } = await w.db
    .selectFrom('audit_events')
    .select('id')
    .where('entity_type', '=', type)
    .where('entity_id', '=', id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  return `/${type.toLowerCase()}s/${id}/audit_events/${event}`
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
    request: async (w) => {
      const { id } = await w.db.selectFrom('audit_events').select('id').executeTakeFirstOrThrow()
      return { path: `/audit_events/${id}` }
    },
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
    request: async ({ id }, w) => ({ path: await newest(w, 'Group', id) }),
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
    request: async ({ id }, w) => ({ path: await newest(w, 'Project', id) }),
  },
}
