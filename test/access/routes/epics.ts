import { record } from '#platform/facts/record.ts'
import { createEpic } from '#planning/epics/create-epic.ts'
import { unique, w } from '#test/world.ts'
import type { Place } from '#test/world.ts'
import type { Asking, RouteExpectation, RouteExpectations } from '#test/access/route-expectation.ts'

// The instance has no plan, so what the requests name is made without them.

const now = () => w.clock.now().toISOString()

/** A fresh epic of the group, by the owner. */
const made = (place: { id: number; owner: Place['owner'] }) =>
  w.write((tx) => createEpic(tx, { namespace_id: place.id }, { title: 'A year' }), place.owner)

const byNumber = async (place: Place) => `/groups/${place.id}/epics/${(await made(place)).iid}`
const byId = async (place: Place) => `/groups/${place.id}/epics/${(await made(place)).id}`

/** An epic with one below it. */
async function withChild(place: Place) {
  const [parent, child] = [await made(place), await made(place)]
  await w.db.updateTable('epics').set({ parent_id: parent.id }).where('id', '=', child.id).execute()
  return { path: `/groups/${place.id}/epics/${parent.iid}/epics`, child: child.id, parent: parent.id }
}

/** An issue of a project in the group, whose members are members there, too. */
async function issueFor(place: Place): Promise<number> {
  const project = await w.project({ parent: place.id })
  const { body } = await project.owner.post(`/projects/${project.id}/issues`, { title: 'Part of it' })
  return body.id
}

/** An epic with an issue. */
async function withIssue(place: Place) {
  const epic = await made(place)
  const issue = await issueFor(place)
  const { id } = await w.db
    .insertInto('epic_issues')
    .values({ epic_id: epic.id, issue_id: issue, relative_position: 1, created_at: now() })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { path: `/groups/${place.id}/epics/${epic.iid}/issues`, id }
}

/** An epic that is linked with another one. */
async function linked(place: Place) {
  const [source, target] = [await made(place), await made(place)]
  const { id } = await w.db
    .insertInto('epic_links')
    .values({
      source_id: source.id,
      target_id: target.id,
      link_type: 'relates_to',
      created_at: now(),
      updated_at: now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return { path: `/groups/${place.id}/epics/${source.iid}/related_epics`, id }
}

/** A note of the owner on a fresh epic. */
async function noted(place: Place) {
  const { id: epic, iid } = await made(place)
  const discussion = Buffer.alloc(20, 1)
  const { id } = await w.db
    .insertInto('notes')
    .values({
      noteable_id: epic,
      author_id: place.owner.id,
      body: 'A comment',
      type: 'DiscussionNote',
      discussion_id: discussion,
      starts_discussion: true,
      created_at: now(),
      updated_at: now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  const at = `/groups/${place.id}/epics`
  return { id, epic, byNumber: `${at}/${iid}`, byId: `${at}/${epic}`, discussion: discussion.toString('hex') }
}

/** A reaction of somebody to an epic or to a note on it. */
async function given(by: { id: number }, to: { noteable_id: number } | { note_id: number }): Promise<number> {
  const { id } = await w.db
    .insertInto('award_emoji')
    .values({ ...to, user_id: by.id, name: unique('emoji'), created_at: now(), updated_at: now() })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

/** An epic whose state and labels changed, and one of these events. */
async function changed(place: Place, kind: 'state' | 'label') {
  const { id } = await made(place)
  const { body: label } = await place.owner.post(`/groups/${place.id}/labels`, {
    name: unique('label'),
    color: 'red',
  })
  const about = { namespace: place.id, target: { type: 'Epic', id } }
  await w.write(
    async (tx) =>
      record(
        tx,
        { ...about, name: 'epic closed', details: {} },
        { ...about, name: 'epic labels changed', details: { added: [label.id], removed: [] } },
      ),
    place.owner,
  )
  const event = await w.db
    .selectFrom('resource_events')
    .select('id')
    .where('noteable_id', '=', id)
    .where('kind', '=', kind)
    .executeTakeFirstOrThrow()
  return { path: `/groups/${place.id}/epics/${id}/resource_${kind}_events`, event: event.id }
}

type Request = (place: Place) => Promise<Asking>

const reading = (request: Request): RouteExpectation => ({
  in: 'group',
  lowest: 'signed-in readers',
  status: 200,
  request,
})
const writing = (
  lowest: 'signed-in readers' | 'guest' | 'planner' | 'maintainer' | 'owner' | 'administrator',
  status: number,
  request: Request,
): RouteExpectation => ({ in: 'group', lowest, status, whileArchived: false, request })

const epics = '/groups/:id/epics'
const one = `${epics}/:epic_iid`
const noteable = `${epics}/:epic_id`
const json = { body: 'Something else' }
const award = { name: 'thumbsup' }

export const epicExpectations: RouteExpectations = {
  [`GET ${epics}`]: reading(async ({ id }) => ({ path: `/groups/${id}/epics` })),
  [`GET ${one}`]: reading(async (p) => ({ path: await byNumber(p) })),
  [`POST ${epics}`]: writing('planner', 201, async ({ id }) => ({
    path: `/groups/${id}/epics`,
    json: { title: 'A year' },
  })),
  [`PUT ${one}`]: writing('planner', 200, async (p) => ({
    path: await byNumber(p),
    json: { title: 'Two years' },
  })),
  [`DELETE ${one}`]: writing('owner', 204, async (p) => ({ path: await byNumber(p) })),

  [`GET ${one}/epics`]: reading(async (p) => ({ path: (await withChild(p)).path })),
  [`POST ${one}/epics`]: writing('planner', 201, async (p) => ({
    path: `${await byNumber(p)}/epics`,
    json: { title: 'A month' },
  })),
  [`POST ${one}/epics/:child_epic_id`]: writing('guest', 201, async (p) => ({
    path: `${await byNumber(p)}/epics/${(await made(p)).id}`,
  })),
  [`PUT ${one}/epics/:child_epic_id`]: writing('guest', 200, async (p) => {
    const { path, child, parent } = await withChild(p)
    const other = await made(p)
    await w.db.updateTable('epics').set({ parent_id: parent }).where('id', '=', other.id).execute()
    return { path: `${path}/${child}`, json: { move_before_id: other.id } }
  }),
  [`DELETE ${one}/epics/:child_epic_id`]: writing('guest', 200, async (p) => {
    const { path, child } = await withChild(p)
    return { path: `${path}/${child}` }
  }),

  [`GET ${one}/issues`]: reading(async (p) => ({ path: (await withIssue(p)).path })),
  [`POST ${one}/issues/:issue_id`]: writing('guest', 201, async (p) => ({
    path: `${await byNumber(p)}/issues/${await issueFor(p)}`,
  })),
  [`PUT ${one}/issues/:epic_issue_id`]: writing('guest', 200, async (p) => {
    const { path, id } = await withIssue(p)
    const { epic_id } = await w.db
      .selectFrom('epic_issues')
      .select('epic_id')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const other = await w.db
      .insertInto('epic_issues')
      .values({ epic_id, issue_id: await issueFor(p), relative_position: 2, created_at: now() })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { path: `${path}/${id}`, json: { move_before_id: other.id } }
  }),
  [`DELETE ${one}/issues/:epic_issue_id`]: writing('guest', 200, async (p) => {
    const { path, id } = await withIssue(p)
    return { path: `${path}/${id}` }
  }),

  [`GET ${one}/related_epics`]: reading(async (p) => ({ path: (await linked(p)).path })),
  [`POST ${one}/related_epics`]: writing('guest', 201, async (p) => ({
    path: `${await byNumber(p)}/related_epics`,
    json: { target_group_id: String(p.id), target_epic_iid: (await made(p)).iid },
  })),
  [`DELETE ${one}/related_epics/:related_epic_link_id`]: writing('guest', 200, async (p) => {
    const { path, id } = await linked(p)
    return { path: `${path}/${id}` }
  }),

  [`GET ${noteable}/notes`]: reading(async (p) => ({ path: `${(await noted(p)).byId}/notes` })),
  [`POST ${noteable}/notes`]: writing('signed-in readers', 201, async (p) => ({
    path: `${await byId(p)}/notes`,
    json,
  })),
  ...noteRoutes(`${noteable}/notes/:note_id`, async (p) => {
    const { byId: path, id } = await noted(p)
    return `${path}/notes/${id}`
  }),
  [`GET ${noteable}/discussions`]: reading(async (p) => ({ path: `${await byId(p)}/discussions` })),
  [`POST ${noteable}/discussions`]: writing('signed-in readers', 201, async (p) => ({
    path: `${await byId(p)}/discussions`,
    json,
  })),
  [`GET ${noteable}/discussions/:discussion_id`]: reading(async (p) => ({ path: await discussion(p) })),
  [`GET ${noteable}/discussions/:discussion_id/notes`]: reading(async (p) => ({
    path: `${await discussion(p)}/notes`,
  })),
  [`POST ${noteable}/discussions/:discussion_id/notes`]: writing('signed-in readers', 201, async (p) => ({
    path: `${await discussion(p)}/notes`,
    json,
  })),
  ...noteRoutes(`${noteable}/discussions/:discussion_id/notes/:note_id`, async (p) => {
    const { byId: path, id, discussion: thread } = await noted(p)
    return `${path}/discussions/${thread}/notes/${id}`
  }),

  ...awardRoutes(`${one}/award_emoji`, async (p, by) => {
    const { epic, byNumber: path } = await noted(p)
    return { path: `${path}/award_emoji`, id: by && (await given(by, { noteable_id: epic })) }
  }),
  ...awardRoutes(`${one}/notes/:note_id/award_emoji`, async (p, by) => {
    const { id, byNumber: path } = await noted(p)
    return { path: `${path}/notes/${id}/award_emoji`, id: by && (await given(by, { note_id: id })) }
  }),

  ...Object.fromEntries(
    (['state', 'label'] as const).flatMap((kind): [string, RouteExpectation][] => [
      [
        `GET ${noteable}/resource_${kind}_events`,
        reading(async (p) => ({ path: (await changed(p, kind)).path })),
      ],
      [
        `GET ${noteable}/resource_${kind}_events/:event_id`,
        reading(async (p) => {
          const { path, event } = await changed(p, kind)
          return { path: `${path}/${event}` }
        }),
      ],
    ]),
  ),
}

async function discussion(p: Place): Promise<string> {
  const { byId: path, discussion: thread } = await noted(p)
  return `${path}/discussions/${thread}`
}

/** A note of the owner: everybody else needs Maintainer to change it. */
function noteRoutes(route: string, note: (place: Place) => Promise<string>): RouteExpectations {
  return {
    [`GET ${route}`]: reading(async (p) => ({ path: await note(p) })),
    [`PUT ${route}`]: writing('maintainer', 200, async (p) => ({ path: await note(p), json })),
    [`DELETE ${route}`]: writing('maintainer', 204, async (p) => ({ path: await note(p) })),
  }
}

/** Reactions; those of others are for administrators to take back. */
function awardRoutes(
  route: string,
  at: (place: Place, by?: { id: number }) => Promise<{ path: string; id?: number | undefined }>,
): RouteExpectations {
  return {
    [`GET ${route}`]: reading(async (p) => ({ path: (await at(p)).path })),
    [`GET ${route}/:award_id`]: reading(async (p) => {
      const { path, id } = await at(p, p.owner)
      return { path: `${path}/${id}` }
    }),
    [`POST ${route}`]: writing('signed-in readers', 201, async (p) => ({
      path: (await at(p)).path,
      json: award,
    })),
    [`DELETE ${route}/:award_id`]: writing('administrator', 204, async (p) => {
      const { path, id } = await at(p, p.guest)
      return { path: `${path}/${id}` }
    }),
  }
}
