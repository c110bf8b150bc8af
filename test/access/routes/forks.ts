import { unique, w } from '#test/world.ts'
import type { RouteExpectations } from '#test/access/route-expectation.ts'

export const forkExpectations: RouteExpectations = {
  'GET /projects/:id/forks': {
    in: 'project',
    lowest: 'readers',
    status: 200,
    request: ({ id }) => ({ path: `/projects/${id}/forks` }),
  },
  'POST /projects/:id/fork': {
    in: 'project',
    lowest: 'code readers',
    status: 201,
    request: async ({ id }) => {
      const name = unique('fork')
      // External users may have no projects unless somebody lets them.
      await w.db.updateTable('users').set({ projects_limit: 1 }).where('external', '=', true).execute()
      return { path: `/projects/${id}/fork`, json: { name, path: name } }
    },
  },
  'POST /projects/:id/fork/:forked_from_id': {
    in: 'project',
    lowest: 'owner',
    status: 201,
    whileArchived: false,
    request: async ({ id, admin }) => {
      await admin.delete(`/projects/${id}/fork`)
      return { path: `/projects/${id}/fork/${(await w.project({ visibility: 'public' })).id}` }
    },
  },
  'DELETE /projects/:id/fork': {
    in: 'project',
    lowest: 'owner',
    status: 204,
    whileArchived: false,
    request: async ({ id, admin }) => {
      await admin.post(`/projects/${id}/fork/${(await w.project({ visibility: 'public' })).id}`)
      return { path: `/projects/${id}/fork` }
    },
  },
}
