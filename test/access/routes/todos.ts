import { createEpic } from '#planning/epics/create-epic.ts'
import { unique, w as world, type World } from '#test/world.ts'
import { mergeRequestOf } from './merge-requests.ts'
import type { RouteExpectations } from '#test/access/route-expectation.ts'

export const todoExpectations: RouteExpectations = {
  'POST /projects/:id/issues/:issue_iid/todo': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 201,
    request: async ({ id, owner }) => {
      const { body } = await owner.post(`/projects/${id}/issues`, { title: unique('To do') })
      return { path: `/projects/${id}/issues/${body.iid}/todo` }
    },
  },
  'POST /projects/:id/merge_requests/:merge_request_iid/todo': {
    in: 'project',
    lowest: 'code readers',
    status: 201,
    request: async (place) => ({ path: `${await mergeRequestOf(place)}/todo` }),
  },
  'POST /groups/:id/epics/:epic_iid/todo': {
    in: 'group',
    lowest: 'signed-in readers',
    status: 201,
    request: async ({ id, owner }) => {
      const epic = await world.write((tx) => createEpic(tx, { namespace_id: id }, { title: 'To do' }), owner)
      return { path: `/groups/${id}/epics/${epic.iid}/todo` }
    },
  },
  'GET /todos': { in: 'instance', lowest: 'signed in', status: 200, request: () => ({ path: '/todos' }) },
  'POST /todos/mark_as_done': {
    in: 'instance',
    lowest: 'signed in',
    status: 204,
    request: () => ({ path: '/todos/mark_as_done' }),
  },
  // Everybody has to-dos of their own alone, so all the others get 404, administrators too.
  'POST /todos/:id/mark_as_done': {
    in: 'instance',
    lowest: 'signed in',
    status: 404,
    request: async (w: World) => {
      const p = await w.project()
      const { body } = await p.owner.post(`/projects/${p.id}/issues`, { title: unique('To do') })
      const { body: todo } = await p.owner.post(`/projects/${p.id}/issues/${body.iid}/todo`)
      return { path: `/todos/${todo.id}/mark_as_done` }
    },
  },
}
