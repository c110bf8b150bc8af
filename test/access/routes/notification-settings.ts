import type { RouteExpectations } from '#test/access/route-expectation.ts'

const level = { level: 'watch' }

/** Everybody has settings of their own wherever they may look. */
export const notificationSettingsExpectations: RouteExpectations = {
  'GET /notification_settings': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: () => ({ path: '/notification_settings' }),
  },
  'PUT /notification_settings': {
    in: 'instance',
    lowest: 'signed in',
    status: 200,
    request: () => ({ path: '/notification_settings', json: level }),
  },
  'GET /projects/:id/notification_settings': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/notification_settings` }),
  },
  'PUT /projects/:id/notification_settings': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 200,
    whileArchived: true,
    request: ({ id }) => ({ path: `/projects/${id}/notification_settings`, json: level }),
  },
  'GET /groups/:id/notification_settings': {
    in: 'group',
    lowest: 'signed-in readers',
    status: 200,
    request: ({ id }) => ({ path: `/groups/${id}/notification_settings` }),
  },
  'PUT /groups/:id/notification_settings': {
    in: 'group',
    lowest: 'signed-in readers',
    status: 200,
    whileArchived: true,
    request: ({ id }) => ({ path: `/groups/${id}/notification_settings`, json: level }),
  },
}
