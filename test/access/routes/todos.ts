import { unique, type World } from '../../world.ts'
import type { RouteExpectations } from '../route-expectation.ts'

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
