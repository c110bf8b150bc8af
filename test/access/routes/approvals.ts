import { openMergeRequest } from '#test/merge-requests.ts'
import { unique } from '#test/world.ts'
import type {
  Asking,
  ProjectPlace,
  RouteExpectation,
  RouteExpectations,
} from '#test/access/route-expectation.ts'
import { licensedAs } from '#test/access/licensed.ts'
import { readingCode, sharedMergeRequest, withBranches } from './merge-requests.ts'

const path = '/projects/:id/merge_requests/:merge_request_iid'

type Request = (place: ProjectPlace) => Promise<Asking>

const by = (lowest: 'developer' | 'maintainer', status: number, request: Request, refusal = 403) =>
  ({ in: 'project', lowest, status, refusal, whileArchived: false, request }) satisfies RouteExpectation

/** An open merge request of the owner. */
async function opened(place: ProjectPlace): Promise<string> {
  await withBranches(place)
  const branch = unique('branch')
  await place.admin.post(`/projects/${place.id}/repository/branches`, { branch, ref: 'feature' })
  return (await openMergeRequest(place, place.owner, { source_branch: branch })).path
}

const at =
  (end: string): Request =>
  async (place) => ({ path: (await sharedMergeRequest(place)) + end })

/** A rule that the owner added, to a project or to a merge request. */
async function ruleAt(place: ProjectPlace, rules: string, wanted = rule(place)): Promise<string> {
  const { body } = await licensedAs(place.owner).post(rules, wanted)
  return `${rules}/${body.id}`
}

const rule = ({ owner }: ProjectPlace) => ({
  name: unique('rule'),
  approvals_required: 1,
  user_ids: [owner.id],
})
/** One of a merge request may demand no less than all those of its project. */
const ownRule = (place: ProjectPlace) => ({ ...rule(place), approvals_required: 100 })
const ofProject = ({ id }: ProjectPlace) => `/projects/${id}/approval_rules`
const ofOne = async (place: ProjectPlace) => `${await sharedMergeRequest(place)}/approval_rules`
const changes = { approvals_required: 2 }

export const approvalExpectations: RouteExpectations = {
  [`GET ${path}/approvals`]: readingCode(at('/approvals')),
  [`GET ${path}/approval_state`]: readingCode(at('/approval_state')),
  [`POST ${path}/approvals`]: by('developer', 201, async (p) => ({
    path: `${await sharedMergeRequest(p)}/approvals`,
    json: changes,
  })),
  // Whom a rule names may, too, and nobody what they wrote: code/merge-requests/approvals/approve.ts.
  [`POST ${path}/approve`]: by('developer', 201, async (p) => ({ path: `${await opened(p)}/approve` }), 401),
  // None of them has approved.
  [`POST ${path}/unapprove`]: {
    ...readingCode(async (p) => ({ path: `${await opened(p)}/unapprove` })),
    status: 404,
    whileArchived: false,
  },
  // None of them is a bot.
  [`PUT ${path}/reset_approvals`]: {
    ...readingCode(at('/reset_approvals')),
    status: 401,
    whileArchived: false,
  },
  'GET /projects/:id/approvals': readingCode(async ({ id }) => ({ path: `/projects/${id}/approvals` })),
  'POST /projects/:id/approvals': by('maintainer', 201, async ({ id }) => ({
    path: `/projects/${id}/approvals`,
    json: { reset_approvals_on_push: false },
  })),
  'GET /projects/:id/approval_rules': readingCode(async (p) => ({ path: ofProject(p) })),
  'GET /projects/:id/approval_rules/:approval_rule_id': readingCode(async (p) => ({
    path: await ruleAt(p, ofProject(p)),
  })),
  'POST /projects/:id/approval_rules': by('maintainer', 201, async (p) => ({
    path: ofProject(p),
    json: rule(p),
  })),
  'PUT /projects/:id/approval_rules/:approval_rule_id': by('maintainer', 200, async (p) => ({
    path: await ruleAt(p, ofProject(p)),
    json: changes,
  })),
  'DELETE /projects/:id/approval_rules/:approval_rule_id': by('maintainer', 204, async (p) => ({
    path: await ruleAt(p, ofProject(p)),
  })),
  [`GET ${path}/approval_rules`]: readingCode(at('/approval_rules')),
  [`GET ${path}/approval_rules/:approval_rule_id`]: readingCode(async (p) => ({
    path: await ruleAt(p, await ofOne(p), ownRule(p)),
  })),
  [`POST ${path}/approval_rules`]: by('developer', 201, async (p) => ({
    path: await ofOne(p),
    json: ownRule(p),
  })),
  [`PUT ${path}/approval_rules/:approval_rule_id`]: by('developer', 200, async (p) => ({
    path: await ruleAt(p, await ofOne(p), ownRule(p)),
    json: { approvals_required: 99 },
  })),
  [`DELETE ${path}/approval_rules/:approval_rule_id`]: by('developer', 204, async (p) => ({
    path: await ruleAt(p, await ofOne(p), ownRule(p)),
  })),
}
