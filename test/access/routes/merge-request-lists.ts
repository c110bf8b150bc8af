import { type Place, unique } from '#test/world.ts'
import type { RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

const ofIssue = (list: string): RouteExpectation => ({
  in: 'project',
  lowest: 'readers',
  status: 200,
  request: async ({ id, owner }) => {
    const { body } = await owner.post(`/projects/${id}/issues`, { title: 'Without merge requests' })
    return { path: `/projects/${id}/issues/${body.iid}/${list}` }
  },
})

const ofMilestone = (kind: 'project' | 'group'): RouteExpectation => ({
  in: kind,
  lowest: 'readers',
  status: 200,
  request: async ({ id, owner }: Place) => {
    const milestones = `/${kind}s/${id}/milestones`
    const { body } = await owner.post(milestones, { title: unique('milestone') })
    return { path: `${milestones}/${body.id}/merge_requests` }
  },
})

export const mergeRequestListExpectations: RouteExpectations = {
  'GET /projects/:id/issues/:issue_iid/related_merge_requests': ofIssue('related_merge_requests'),
  'GET /projects/:id/issues/:issue_iid/closed_by': ofIssue('closed_by'),
  'GET /projects/:id/milestones/:milestone_id/merge_requests': ofMilestone('project'),
  'GET /groups/:id/milestones/:milestone_id/merge_requests': ofMilestone('group'),
}
