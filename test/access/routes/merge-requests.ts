import { giveSample } from '#test/repositories.ts'
import { openMergeRequest } from '#test/merge-requests.ts'
import { unique } from '#test/world.ts'
import {
  type Asking,
  onceIn,
  type ProjectPlace,
  type RouteExpectation,
  type RouteExpectations,
} from '#test/access/route-expectation.ts'
import { changing } from './notes.ts'

const equipped = new WeakSet<ProjectPlace>()

/** Gives a project a branch `feature` besides `main`, once. Requests to other routes leave their own branches alone. */
export async function withBranches(place: ProjectPlace): Promise<void> {
  if (equipped.has(place)) return
  equipped.add(place)
  await giveSample(place)
  await place.admin.post(`/projects/${place.id}/repository/commits`, {
    branch: 'feature',
    start_branch: 'main',
    commit_message: 'Add c',
    actions: [{ action: 'create', file_path: 'c.txt', content: 'c' }],
  })
}

/** A fresh merge request of the owner. It is closed, so that there can be another one of the same branches. */
export async function mergeRequestOf(place: ProjectPlace): Promise<string> {
  await withBranches(place)
  const { path } = await openMergeRequest(place, place.owner)
  await place.owner.put(path, { state_event: 'close' })
  return path
}

/** One for all that leave it as it is, or add to it. */
export const sharedMergeRequest = onceIn(mergeRequestOf)

type Request = (place: ProjectPlace) => Promise<Asking>

export const readingCode = (request: Request): RouteExpectation => ({
  in: 'project',
  lowest: 'code readers',
  status: 200,
  request,
})

const writing = (request: Request): RouteExpectation => ({
  ...readingCode(request),
  status: 201,
  whileArchived: false,
})

const by = (lowest: 'developer' | 'owner', status: number, request: Request): RouteExpectation => ({
  in: 'project',
  lowest,
  status,
  whileArchived: false,
  request,
})

const at =
  (end: string): Request =>
  async (place) => ({ path: (await sharedMergeRequest(place)) + end })

const path = '/projects/:id/merge_requests/:merge_request_iid'
const json = { body: 'Something else' }

const sharedOpenOne = onceIn((place) => openOne(place))

/** An open merge request of branches of its own. */
async function openOne(place: ProjectPlace): Promise<string> {
  await withBranches(place)
  const branch = unique('branch')
  await place.admin.post(`/projects/${place.id}/repository/branches`, { branch, ref: 'feature' })
  const target_branch = unique('target')
  await place.admin.post(`/projects/${place.id}/repository/branches`, { branch: target_branch, ref: 'main' })
  return (await openMergeRequest(place, place.owner, { source_branch: branch, target_branch })).path
}

/** The target branch decides who may: those below Developer are told so by 401. */
const merging = (status: number, end: string, refusal = 401): RouteExpectation => ({
  in: 'project',
  lowest: 'developer',
  status,
  refusal,
  whileArchived: false,
  request: async (place) => ({ path: (await openOne(place)) + end }),
})

/** A note of the owner. */
async function note(place: ProjectPlace): Promise<string> {
  const notes = `${await sharedMergeRequest(place)}/notes`
  const { body } = await place.owner.post(notes, { body: 'Something' })
  return `${notes}/${body.id}`
}

/** A discussion that the owner started, and the note in it. */
async function started(place: ProjectPlace): Promise<{ discussion: string; note: string }> {
  const discussions = `${await sharedMergeRequest(place)}/discussions`
  const { body } = await place.owner.post(discussions, { body: 'Something' })
  const discussion = `${discussions}/${body.id}`
  return { discussion, note: `${discussion}/notes/${body.notes[0].id}` }
}

const award = { name: 'thumbsup' }

/** Awards: everybody takes back their own; those of others are for administrators. */
const awardsOn = (
  route: string,
  made: (place: ProjectPlace) => Promise<string>,
): [string, RouteExpectation][] => {
  const given = async (place: ProjectPlace, who: 'owner' | 'reporter') => {
    const awards = `${await made(place)}/award_emoji`
    const { body } = await place[who].post(awards, award)
    return { path: `${awards}/${body.id}` }
  }
  return [
    [`GET ${route}`, readingCode(async (p) => ({ path: `${await made(p)}/award_emoji` }))],
    [`GET ${route}/:award_id`, readingCode((p) => given(p, 'owner'))],
    [`POST ${route}`, writing(async (p) => ({ path: `${await made(p)}/award_emoji`, json: award }))],
    [
      `DELETE ${route}/:award_id`,
      {
        in: 'project',
        lowest: 'administrator',
        status: 204,
        whileArchived: false,
        request: (p) => given(p, 'reporter'),
      },
    ],
  ]
}

/** With a change of each sort. */
const changed = onceIn(async (place) => {
  await withBranches(place)
  const { body: milestone } = await place.owner.post(`/projects/${place.id}/milestones`, {
    title: unique('milestone'),
  })
  const { path: one } = await openMergeRequest(place, place.owner, { labels: 'changed' })
  await place.owner.put(one, { state_event: 'close', milestone_id: milestone.id })
  return one
})

/** Lists of events, and single ones. */
const events = (['state', 'label', 'milestone'] as const).flatMap((sort): [string, RouteExpectation][] => {
  const list = async (place: ProjectPlace) => `${await changed(place)}/resource_${sort}_events`
  const single = async (place: ProjectPlace) => {
    const all = await list(place)
    const { body } = await place.owner.get(all)
    return { path: `${all}/${body[0].id}` }
  }
  const route = `GET ${path}/resource_${sort}_events`
  return [
    [route, readingCode(async (place) => ({ path: await list(place) }))],
    [`${route}/:event_id`, readingCode(single)],
  ]
})

const reading = (end: string): [string, RouteExpectation] => [
  `GET ${path}/${end}`,
  readingCode(at(`/${end}`)),
]

/** Changes of the time of merge requests. */
const timing = (end: string, status: number, json?: object): [string, RouteExpectation] => [
  `POST ${path}/${end}`,
  by('developer', status, async (p) => ({
    path: `${await sharedMergeRequest(p)}/${end}`,
    ...(json && { json }),
  })),
]

/** What anybody signed in may do for themselves who reads a merge request, also in an archived project. */
const forOneself = (request: Request, status: number): RouteExpectation => ({
  ...readingCode(request),
  status,
})

const lists: RouteExpectations = {
  'GET /projects/:id/merge_requests': readingCode(async ({ id }) => ({
    path: `/projects/${id}/merge_requests`,
  })),
  'GET /groups/:id/merge_requests': {
    in: 'group',
    lowest: 'readers',
    status: 200,
    request: async ({ id }) => ({ path: `/groups/${id}/merge_requests` }),
  },
  'GET /merge_requests': {
    in: 'instance',
    lowest: 'anonymous',
    status: 200,
    request: async () => ({ path: '/merge_requests?scope=all' }),
  },
}

export const mergeRequestExpectations: RouteExpectations = {
  ...lists,
  ...Object.fromEntries([
    reading('participants'),
    reading('reviewers'),
    reading('time_stats'),
    reading('closes_issues'),
    reading('related_issues'),
    timing('time_estimate', 200, { duration: '1h' }),
    timing('reset_time_estimate', 200),
    timing('add_spent_time', 201, { duration: '1h' }),
    timing('reset_spent_time', 200),
  ]),
  [`POST ${path}/subscribe`]: forOneself(async (p) => {
    const one = await mergeRequestOf(p)
    // The author is subscribed already.
    await p.owner.post(`${one}/unsubscribe`)
    return { path: `${one}/subscribe` }
  }, 201),
  [`POST ${path}/unsubscribe`]: forOneself(async (p) => {
    const one = await mergeRequestOf(p)
    await p.owner.post(`${one}/unsubscribe`)
    return { path: `${one}/unsubscribe` }
  }, 304),
  [`GET ${path}`]: readingCode(at('')),
  'POST /projects/:id/merge_requests': by('developer', 201, async (place) => {
    await withBranches(place)
    const branch = unique('branch')
    await place.admin.post(`/projects/${place.id}/repository/branches`, { branch, ref: 'feature' })
    return {
      path: `/projects/${place.id}/merge_requests`,
      json: { title: 'x', source_branch: branch, target_branch: 'main' },
    }
  }),
  // The author and the assignees may, too: code/merge-requests/policy.ts.
  [`PUT ${path}`]: by('developer', 200, async (p) => ({
    path: await sharedMergeRequest(p),
    json: { title: 'Other' },
  })),
  [`DELETE ${path}`]: by('owner', 204, async (p) => ({ path: await mergeRequestOf(p) })),
  [`PUT ${path}/merge`]: merging(200, '/merge'),
  [`POST ${path}/cancel_merge_when_pipeline_succeeds`]: merging(201, '/cancel_merge_when_pipeline_succeeds'),
  [`PUT ${path}/rebase`]: merging(202, '/rebase', 403),
  [`GET ${path}/merge_ref`]: readingCode(async (p) => ({ path: `${await sharedOpenOne(p)}/merge_ref` })),
  [`GET ${path}/conflicts`]: readingCode(async (p) => ({ path: `${await sharedOpenOne(p)}/conflicts` })),
  [`GET ${path}/pipelines`]: readingCode(at('/pipelines')),
  [`GET ${path}/notes`]: readingCode(at('/notes')),
  [`GET ${path}/notes/:note_id`]: readingCode(async (p) => ({ path: await note(p) })),
  [`POST ${path}/notes`]: writing(async (p) => ({ path: `${await sharedMergeRequest(p)}/notes`, json })),
  [`PUT ${path}/notes/:note_id`]: changing(200, async (p) => ({ path: await note(p), json })),
  [`DELETE ${path}/notes/:note_id`]: changing(204, async (p) => ({ path: await note(p) })),
  [`GET ${path}/discussions`]: readingCode(at('/discussions')),
  [`GET ${path}/discussions/:discussion_id`]: readingCode(async (p) => ({
    path: (await started(p)).discussion,
  })),
  [`POST ${path}/discussions`]: writing(async (p) => ({
    path: `${await sharedMergeRequest(p)}/discussions`,
    json,
  })),
  // The author of the merge request may, too: code/merge-requests/threads/resolving.ts.
  [`PUT ${path}/discussions/:discussion_id`]: by('developer', 200, async (p) => ({
    path: (await started(p)).discussion,
    json: { resolved: true },
  })),
  [`GET ${path}/discussions/:discussion_id/notes`]: readingCode(async (p) => ({
    path: `${(await started(p)).discussion}/notes`,
  })),
  [`GET ${path}/discussions/:discussion_id/notes/:note_id`]: readingCode(async (p) => ({
    path: (await started(p)).note,
  })),
  [`POST ${path}/discussions/:discussion_id/notes`]: writing(async (p) => ({
    path: `${(await started(p)).discussion}/notes`,
    json,
  })),
  [`PUT ${path}/discussions/:discussion_id/notes/:note_id`]: changing(200, async (p) => ({
    path: (await started(p)).note,
    json,
  })),
  [`DELETE ${path}/discussions/:discussion_id/notes/:note_id`]: changing(204, async (p) => ({
    path: (await started(p)).note,
  })),
  ...Object.fromEntries([
    ...awardsOn(`${path}/award_emoji`, mergeRequestOf),
    ...awardsOn(`${path}/notes/:note_id/award_emoji`, note),
    ...events,
  ]),
}
