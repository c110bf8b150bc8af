import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'
import type { Place } from '#test/world.ts'

const cell = (kind: 'project' | 'group'): RouteExpectation => ({
  in: kind,
  lowest: 'readers',
  status: 200,
  whileArchived: true,
  request: ({ id }: Place) => ({ path: `/${kind}s/${id}/abilities` }),
})

export const ofAbilities: RouteExpectations = {
  'GET /projects/:id/abilities': cell('project'),
  'GET /groups/:id/abilities': cell('group'),
}
