import { onceIn, type ProjectPlace, type RouteExpectations } from '#test/access/route-expectation.ts'

/** A fresh issue of the place, by the owner. */
async function issue({ id, owner }: ProjectPlace): Promise<string> {
  const { body } = await owner.post(`/projects/${id}/issues`, { title: 'Of interest' })
  return `/projects/${id}/issues/${body.iid}`
}

const shared = onceIn(issue)

export const issuePeopleExpectations: RouteExpectations = {
  'GET /projects/:id/issues/:issue_iid/participants': {
    in: 'project',
    lowest: 'readers',
    status: 200,
    request: async (p) => ({ path: `${await shared(p)}/participants` }),
  },
  'GET /projects/:id/issues/:issue_iid/user_agent_detail': {
    in: 'project',
    lowest: 'administrator',
    status: 200,
    request: async (p) => ({ path: `${await shared(p)}/user_agent_detail` }),
  },
  'POST /projects/:id/issues/:issue_iid/subscribe': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 201,
    request: async (p) => {
      const path = await issue(p)
      // The author is subscribed already.
      await p.owner.post(`${path}/unsubscribe`)
      return { path: `${path}/subscribe` }
    },
  },
  'POST /projects/:id/issues/:issue_iid/unsubscribe': {
    in: 'project',
    lowest: 'signed-in readers',
    status: 304,
    request: async (p) => {
      const path = await issue(p)
      await p.owner.post(`${path}/unsubscribe`)
      return { path: `${path}/unsubscribe` }
    },
  },
}
