import { unique, type World } from '#test/world.ts'
import {
  onceIn,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'

/** The path of a fresh issue of the project, and its id. */
async function issueIn({ id, owner }: ProjectPlace): Promise<{ path: string; id: number; iid: number }> {
  const { body } = await owner.post(`/projects/${id}/issues`, { title: unique('issue') })
  return { path: `/projects/${id}/issues/${body.iid}`, id: body.id, iid: body.iid }
}

const shared = onceIn(issueIn)

const about = (
  lowest: RouteExpectation['lowest'] & ('readers' | 'signed-in readers' | 'guest' | 'planner'),
  status: number,
  request: (place: ProjectPlace, w: World) => Promise<{ path: string; json?: unknown }>,
): RouteExpectation => ({
  in: 'project',
  lowest,
  status,
  whileArchived: lowest === 'readers' || lowest === 'signed-in readers',
  request,
})

/** A request without parameters about an issue. */
const bare = (suffix: string) => async (p: ProjectPlace) => ({
  path: `${(await shared(p)).path}/${suffix}`,
})

async function linked(p: ProjectPlace): Promise<string> {
  const [one, other] = [await issueIn(p), await issueIn(p)]
  const { body } = await p.owner.post(`${one.path}/links`, {
    target_project_id: p.id,
    target_issue_iid: other.iid,
  })
  return `${one.path}/links/${body.id}`
}

/** Another project, in which the planners of the first are planners too. */
async function besides(p: ProjectPlace, w: World): Promise<number> {
  const { id, namespaceId } = await w.project()
  for (const user of [p.planner, p.owner]) await w.memberAtLeast(namespaceId, user, 15)
  return id
}

export const issueRelationExpectations: RouteExpectations = {
  'GET /projects/:id/issues/:issue_iid/links': about('signed-in readers', 200, bare('links')),
  'GET /projects/:id/issues/:issue_iid/links/:issue_link_id': about('signed-in readers', 200, async (p) => ({
    path: await linked(p),
  })),
  'POST /projects/:id/issues/:issue_iid/links': about('guest', 201, async (p) => {
    const [one, other] = [await issueIn(p), await issueIn(p)]
    return {
      path: `${one.path}/links`,
      json: { target_project_id: p.id, target_issue_iid: other.iid },
    }
  }),
  'DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id': about('guest', 200, async (p) => ({
    path: await linked(p),
  })),
  'GET /projects/:id/issues/:issue_iid/time_stats': about('readers', 200, bare('time_stats')),
  'POST /projects/:id/issues/:issue_iid/time_estimate': about('planner', 200, async (p) => ({
    path: `${(await shared(p)).path}/time_estimate`,
    json: { duration: '3h30m' },
  })),
  'POST /projects/:id/issues/:issue_iid/reset_time_estimate': about(
    'planner',
    200,
    bare('reset_time_estimate'),
  ),
  'POST /projects/:id/issues/:issue_iid/add_spent_time': about('planner', 201, async (p) => ({
    path: `${(await shared(p)).path}/add_spent_time`,
    json: { duration: '1h', summary: 'Looked into it' },
  })),
  'POST /projects/:id/issues/:issue_iid/reset_spent_time': about('planner', 200, bare('reset_spent_time')),
  'PUT /projects/:id/issues/:issue_iid/reorder': about('planner', 200, async (p) => ({
    path: `${(await issueIn(p)).path}/reorder`,
    json: { move_after_id: (await issueIn(p)).id },
  })),
  'POST /projects/:id/issues/:issue_iid/move': about('planner', 201, async (p, w) => ({
    path: `${(await issueIn(p)).path}/move`,
    json: { to_project_id: await besides(p, w) },
  })),
  'POST /projects/:id/issues/:issue_iid/clone': about('planner', 201, async (p) => ({
    path: `${(await issueIn(p)).path}/clone`,
    json: { to_project_id: p.id },
  })),
}
