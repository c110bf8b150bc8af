import { unique } from '#test/world.ts'
import {
  onceIn,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'

const sorts = ['state', 'label', 'milestone', 'weight'] as const

/** An issue of the place, by the owner, with a change of each sort. */
const issue = onceIn(async ({ id, owner }): Promise<string> => {
  const { body: milestone } = await owner.post(`/projects/${id}/milestones`, { title: unique('milestone') })
  const { body } = await owner.post(`/projects/${id}/issues`, { title: 'Changed', labels: 'changed' })
  const path = `/projects/${id}/issues/${body.iid}`
  await owner.put(path, { state_event: 'close', milestone_id: milestone.id, weight: 3 })
  return path
})

const readable = (path: (place: ProjectPlace) => Promise<string>): RouteExpectation => ({
  in: 'project',
  lowest: 'signed-in readers',
  status: 200,
  request: async (place) => ({ path: await path(place) }),
})

export const resourceEventExpectations: RouteExpectations = Object.fromEntries([
  [
    'GET /projects/:id/issues/:issue_iid/resource_iteration_events',
    readable(async (place) => `${await issue(place)}/resource_iteration_events`),
  ],
  ...sorts.flatMap((sort) => {
    const list = async (place: ProjectPlace) => `${await issue(place)}/resource_${sort}_events`
    const single = async (place: ProjectPlace) => {
      const path = await list(place)
      const { body } = await place.owner.get(path)
      return `${path}/${body[0].id}`
    }
    const route = `GET /projects/:id/issues/:issue_iid/resource_${sort}_events`
    return [
      [route, readable(list)],
      [`${route}/:event_id`, readable(single)],
    ]
  }),
])
