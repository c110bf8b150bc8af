import type { RouteExpectations } from '#test/access/route-expectation.ts'
import type { Place, World } from '#test/world.ts'

type EntityType = 'Group' | 'Project'

/** The path of an event about a place, by its developer: what others did takes a higher role. */
async function own(w: World, type: EntityType, { id, developer }: Place): Promise<string> {
  const { id: event } = await w.db
    .selectFrom('audit_events')
    .select('id')
    .where('entity_type', '=', type)
    .where('entity_id', '=', id)
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()
  await w.db.updateTable('audit_events').set({ author_id: developer.id }).where('id', '=', event).execute()
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
    lowest: 'developer',
    status: 200,
    request: ({ id }) => ({ path: `/groups/${id}/audit_events` }),
  },
  'GET /groups/:id/audit_events/:audit_event_id': {
    in: 'group',
    lowest: 'developer',
    status: 200,
    request: async (place, w) => ({ path: await own(w, 'Group', place) }),
  },
  'GET /projects/:id/audit_events': {
    in: 'project',
    lowest: 'developer',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/audit_events` }),
  },
  'GET /projects/:id/audit_events/:audit_event_id': {
    in: 'project',
    lowest: 'developer',
    status: 200,
    request: async (place, w) => ({ path: await own(w, 'Project', place) }),
  },
}
