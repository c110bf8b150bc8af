import { beforeAll, describe, expect, test } from 'vitest'
import { record } from '#platform/facts/record.ts'
import type { Answer, Client } from '#test/client.ts'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { type Actor, unique, w } from '#test/world.ts'
import type { Event } from './entity.ts'
import { endExpiredMembers } from './test-support.ts'

/** What happened in one project, done through the API by its developer or owner. */
let p: Awaited<ReturnType<typeof branchedProject>>
let feed: string

const list = async (path: string, by: Client = p.owner): Promise<Event[]> => {
  const { status, body, text } = await by.get(path)
  if (status !== 200) throw new Error(`${status}: ${text}`)
  return body
}
const names = (events: readonly Event[]) =>
  events.map(({ action_name, target_type }) => [action_name, target_type])
const created = async (answer: Promise<Answer>) => {
  const { status, body, text } = await answer
  if (status >= 300) throw new Error(`${status}: ${text}`)
  return body
}

beforeAll(async () => {
  p = await branchedProject()
  feed = `/projects/${p.id}/events`
})

/** A project with nothing in it yet. */
async function fresh() {
  const place = await w.project()
  const path = `/projects/${place.id}`
  return { ...place, path, events: (query = '') => list(`${path}/events${query}`, place.owner) }
}

describe('action', () => {
  test('created, closed and reopened of an issue', async () => {
    const f = await fresh()
    const issue = await created(f.developer.post(`${f.path}/issues`, { title: 'Broken' }))
    const path = `${f.path}/issues/${issue.iid}`
    await f.developer.put(path, { state_event: 'close' })
    await f.developer.put(path, { state_event: 'reopen' })
    const events = await f.events()
    expect(names(events)).toEqual([
      ['opened', 'Issue'],
      ['closed', 'Issue'],
      ['opened', 'Issue'],
    ])
    expect(events[1]).toEqual({
      id: expect.any(Number),
      title: null,
      project_id: f.id,
      action_name: 'closed',
      target_id: issue.id,
      target_iid: issue.iid,
      target_type: 'Issue',
      target_title: 'Broken',
      author_id: f.developer.id,
      author: expect.objectContaining({
        id: f.developer.id,
        username: f.developer.username,
        state: 'active',
      }),
      author_username: f.developer.username,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      imported: false,
      imported_from: 'none',
      data: null,
    })
    expect(await f.events('?action=created')).toEqual([events[2]])
    expect(await f.events('?action=closed')).toEqual([events[1]])
    expect(await f.events('?action=reopened')).toEqual([events[0]])
    expect(await f.events('?target_type=issue')).toEqual(events)
  })

  test('created, closed, reopened, approved and merged of a merge request', async () => {
    const { path } = await openMergeRequest(p, p.developer)
    await p.developer.put(path, { state_event: 'close' })
    await p.developer.put(path, { state_event: 'reopen' })
    await created(p.maintainer.post(`${path}/approve`))
    await created(p.maintainer.put(`${path}/merge`))
    const events = await list(`${feed}?target_type=merge_request`)
    expect(names(events)).toEqual([
      ['accepted', 'MergeRequest'],
      ['approved', 'MergeRequest'],
      ['opened', 'MergeRequest'],
      ['closed', 'MergeRequest'],
      ['opened', 'MergeRequest'],
    ])
    expect(events[0]).toMatchObject({
      target_iid: 1,
      target_title: 'Say it aloud',
      author_id: p.maintainer.id,
    })
    expect(await list(`${feed}?action=merged`)).toEqual([events[0]])
    expect(await list(`${feed}?action=approved`)).toEqual([events[1]])
    for (const query of ['', '?scope=all', '?target_type=merge_request', '?action=merged']) {
      const own = names(await list(`/events${query}`, p.maintainer))
      expect(own.filter(([name, type]) => type === 'MergeRequest' || name === 'accepted')).toEqual([])
    }
    expect(await list(`/users/${p.maintainer.id}/events?action=approved`)).toEqual([])
  })

  test('commented, with the note', async () => {
    const f = await fresh()
    const issue = await created(f.developer.post(`${f.path}/issues`, { title: 'Talk' }))
    const note = await created(f.guest.post(`${f.path}/issues/${issue.iid}/notes`, { body: 'Well.' }))
    const thread = await created(
      f.reporter.post(`${f.path}/issues/${issue.iid}/discussions`, { body: 'A thread.' }),
    )
    const events = await f.events('?action=commented')
    expect(names(events)).toEqual([
      ['commented on', 'DiscussionNote'],
      ['commented on', 'Note'],
    ])
    expect(events[0]?.note?.id).toBe(thread.notes[0].id)
    expect(events[1]).toMatchObject({
      target_id: note.id,
      target_iid: note.id,
      target_title: 'Talk',
      author_id: f.guest.id,
      note: {
        id: note.id,
        body: 'Well.',
        attachment: null,
        author: { id: f.guest.id },
        created_at: note.created_at,
        system: false,
        noteable_id: issue.id,
        noteable_type: 'Issue',
        noteable_iid: issue.iid,
      },
    })
    expect(await f.events('?target_type=note')).toEqual(events)
  })

  test('commented on a merge request, unless in a thread', async () => {
    const { path, body } = await openMergeRequest(p, p.developer, { source_branch: 'clash' })
    await created(p.developer.post(`${path}/notes`, { body: 'Single' }))
    await created(p.developer.post(`${path}/discussions`, { body: 'Thread' }))
    const events = await list(`${feed}?target_type=note`)
    expect(events.map(({ note }) => [note?.body, note?.noteable_type, note?.noteable_iid])).toEqual([
      ['Single', 'MergeRequest', body.iid],
    ])
    expect(await list('/events?target_type=note', p.developer)).toEqual([])
  })

  test('commented on a snippet and on a commit', async () => {
    const sha = (await created(p.owner.get(`/projects/${p.id}/repository/commits/main`))).id
    await created(
      p.developer.post(`/projects/${p.id}/repository/commits/${sha}/discussions`, { body: 'Why?' }),
    )
    const snippet = await created(
      p.developer.post(`/projects/${p.id}/snippets`, {
        title: 'Code',
        visibility: 'private',
        files: [{ file_path: 'a.txt', content: 'a' }],
      }),
    )
    await created(p.developer.post(`/projects/${p.id}/snippets/${snippet.id}/notes`, { body: 'Nice' }))
    const events = await list('/events?action=commented', p.developer)
    expect(events.map(({ note }) => [note?.body, note?.noteable_type, note?.noteable_id])).toEqual([
      ['Nice', 'Snippet', snippet.id],
      ['Why?', 'Commit', null],
    ])
    const [opened] = await list(`${feed}?target_type=snippet`)
    expect(opened).toMatchObject({ action_name: 'opened', target_id: snippet.id, target_title: 'Code' })
    await created(p.developer.put(`/projects/${p.id}/snippets/${snippet.id}`, { title: 'Better' }))
    expect(await list(`${feed}?target_type=snippet&action=updated`)).toMatchObject([
      { action_name: 'updated', target_title: 'Better' },
    ])
  })

  test('destroyed, closed and reopened of a milestone', async () => {
    const f = await fresh()
    const { id, iid } = await created(f.reporter.post(`${f.path}/milestones`, { title: 'v1' }))
    for (const state_event of ['close', 'activate'])
      await f.reporter.put(`${f.path}/milestones/${id}`, { state_event })
    expect((await f.events())[0]).toMatchObject({ target_id: id, target_iid: iid })
    await f.reporter.delete(`${f.path}/milestones/${id}`)
    const events = await f.events('?target_type=milestone')
    expect(names(events)).toEqual([
      ['destroyed', 'Milestone'],
      ['opened', 'Milestone'],
      ['closed', 'Milestone'],
      ['opened', 'Milestone'],
    ])
    expect(events[0]).toMatchObject({ target_id: id, target_title: 'v1' })
    expect(await f.events('?action=destroyed')).toHaveLength(1)
  })

  test('created, updated and destroyed of a wiki page', async () => {
    const f = await fresh()
    const page = `${f.path}/wikis/Home`
    await created(f.developer.post(`${f.path}/wikis`, { title: 'Home', content: 'Hello' }))
    await created(f.developer.put(page, { content: 'Good bye' }))
    const events = await f.events()
    expect(names(events)).toEqual([
      ['updated', 'WikiPage::Meta'],
      ['created', 'WikiPage::Meta'],
    ])
    expect(events[0]).toMatchObject({
      target_title: 'Home',
      wiki_page: { slug: 'Home', title: 'Home', wiki_page_meta_id: events[0]?.target_id },
    })
    const meta = events[0]?.target_id
    await created(f.developer.post(`${f.path}/wiki_pages/${meta}/notes`, { body: 'Ah' }))
    expect(await f.events('?action=commented')).toMatchObject([{ note: { noteable_type: 'WikiPage::Meta' } }])
    await f.developer.delete(page)
    expect(names(await f.events('?action=destroyed'))).toEqual([['destroyed', 'WikiPage::Meta']])
    expect(await f.events('?action=commented')).toEqual([])
  })

  test('created of a project, by whoever made it', async () => {
    const user = await w.user()
    const { id } = await created(user.post('/projects', { name: unique('mine') }))
    const [event, ...others] = await list('/events?target_type=project', user)
    expect(event).toMatchObject({
      project_id: id,
      action_name: 'created',
      target_id: null,
      target_type: null,
    })
    expect(others).toEqual([])
    // It is theirs, so they did not join it.
    expect(await list('/events?action=joined', user)).toEqual([])
  })

  test('joined and left, of the member and not of whoever added them', async () => {
    const f = await fresh()
    const user = await w.user()
    await created(f.owner.post(`${f.path}/members`, { user_id: user.id, access_level: 30 }))
    await f.owner.delete(`${f.path}/members/${user.id}`)
    const events = await f.events('?target_type=user')
    expect(events.map(({ action_name, author_id }) => [action_name, author_id])).toEqual([
      ['left', user.id],
      ['joined', user.id],
    ])
    expect(await f.events('?action=left')).toHaveLength(1)
    expect(await f.events('?action=joined')).toHaveLength(1)
  })

  test('left of each project below a group that somebody left', async () => {
    const f = await fresh()
    const user = await w.user()
    for (const path of [`/groups/${f.groupId}`, f.path])
      await created(w.root.post(`${path}/members`, { user_id: user.id, access_level: 30 }))
    await w.root.delete(`/groups/${f.groupId}/members/${user.id}`)
    expect(await f.events('?action=left')).toMatchObject([{ author_id: user.id }])
  })

  test('expired, once a day has passed', async () => {
    const f = await fresh()
    const user = await w.user()
    const member = { user_id: user.id, access_level: 30, expires_at: '2031-05-04' }
    w.clock.hold('2031-05-02T12:00:00Z')
    await created(f.owner.post(`${f.path}/members`, member))
    await endExpiredMembers('2031-05-03')
    expect(await f.events('?action=expired')).toEqual([])
    await endExpiredMembers('2031-05-04')
    await endExpiredMembers('2031-05-05')
    expect(await f.events('?action=expired')).toMatchObject([
      { author_id: user.id, action_name: 'removed due to membership expiration from' },
    ])
    const left = w.db.selectFrom('members').select('id').where('namespace_id', '=', f.namespaceId)
    expect(await left.where('user_id', '=', user.id).execute()).toEqual([])
  })

  test('joined and left never of bots', async () => {
    const f = await fresh()
    const asked = { name: 'bot', scopes: ['api'], access_level: 30, expires_at: '2030-01-01' }
    w.clock.hold('2029-12-01T00:00:00Z')
    const token = await created(f.owner.post(`${f.path}/access_tokens`, asked))
    await f.owner.delete(`${f.path}/access_tokens/${token.id}`)
    expect(await f.events('?target_type=user')).toEqual([])
  })
})

describe('pushed', () => {
  const push = (query = '') => list(`${feed}?action=pushed${query}`)

  test('to a new branch, further, and away', async () => {
    const repository = `/projects/${p.id}/repository`
    await created(p.developer.post(`${repository}/branches`, { branch: 'pushes', ref: 'main' }))
    const commit = await created(
      p.developer.post(`${repository}/commits`, {
        branch: 'pushes',
        commit_message: 'Add a file\n\nWith a reason',
        actions: [{ action: 'create', file_path: 'pushed.txt', content: 'x' }],
      }),
    )
    await p.developer.delete(`${repository}/branches/pushes`)
    const [removed, pushed, made] = await push()
    expect(names([removed, pushed, made].flatMap((one) => one ?? []))).toEqual([
      ['deleted', null],
      ['pushed to', null],
      ['pushed new', null],
    ])
    expect(pushed).toMatchObject({ target_id: null, target_iid: null, target_title: null, title: null })
    expect(pushed?.push_data).toEqual({
      commit_count: 1,
      action: 'pushed',
      ref_type: 'branch',
      commit_from: commit.parent_ids[0],
      commit_to: commit.id,
      ref: 'pushes',
      commit_title: 'Add a file',
      ref_count: null,
    })
    expect(made?.push_data).toMatchObject({ action: 'created', commit_from: null, ref: 'pushes' })
    expect(removed?.push_data).toMatchObject({ action: 'removed', commit_to: null, ref: 'pushes' })
  })

  test('a tag', async () => {
    await created(p.maintainer.post(`/projects/${p.id}/repository/tags`, { tag_name: 'v9', ref: 'main' }))
    expect((await push())[0]).toMatchObject({
      action_name: 'pushed new',
      push_data: { ref_type: 'tag', ref: 'v9', action: 'created' },
    })
  })

  test('many references at once is one event without them', async () => {
    await w.write(async (tx) => {
      record(tx, {
        name: 'references pushed',
        namespace: p.namespaceId,
        target: { type: 'Project', id: p.id },
        details: {
          action: 'created',
          ref_type: 'branch',
          ref: null,
          ref_count: 7,
          commit_from: null,
          commit_to: null,
          commit_count: 0,
          commit_title: null,
        },
      })
    })
    expect((await push())[0]?.push_data).toEqual({
      commit_count: 0,
      action: 'created',
      ref_type: 'branch',
      commit_from: null,
      commit_to: null,
      ref: null,
      commit_title: null,
      ref_count: 7,
    })
  })
})

describe('lists', () => {
  test('take days, both excluded, in either direction, in pages', async () => {
    const f = await fresh()
    for (const day of [1, 2, 3, 4]) {
      w.clock.hold(`2033-01-0${day}T23:59:59.999Z`)
      await created(f.developer.post(`${f.path}/issues`, { title: `Day ${day}` }))
    }
    const titles = async (query: string) => (await f.events(query)).map(({ target_title }) => target_title)
    expect(await titles('?after=2033-01-02')).toEqual(['Day 4', 'Day 3'])
    expect(await titles('?before=2033-01-02')).toEqual(['Day 1'])
    expect(await titles('?after=2033-01-01&before=2033-01-04&sort=asc')).toEqual(['Day 2', 'Day 3'])
    const { body, headers } = await f.owner.get(`${f.path}/events?per_page=3&page=2`)
    expect(body).toMatchObject([{ target_title: 'Day 1' }])
    expect([headers.get('x-total'), headers.get('x-total-pages')]).toEqual(['4', '2'])
  })

  test.each([
    ['action=opened', 'action does not have a valid value'],
    ['target_type=wiki', 'target_type does not have a valid value'],
    ['before=yesterday', 'before is invalid'],
    ['after=2033-02-30', 'after is invalid'],
    ['sort=newest', 'sort does not have a valid value'],
    ['pagination=keyset&cursor=x', 'cursor is invalid'],
  ])('refuse %s', async (query, error) => {
    for (const path of ['/events', `/users/${p.developer.id}/events`, feed]) {
      const { status, body } = await p.developer.get(`${path}?${query}`)
      expect([status, body.error]).toEqual([400, error])
    }
  })

  test('refuse a scope that is not there', async () => {
    expect((await p.developer.get('/events?scope=mine')).status).toBe(400)
  })

  test('take the scopes read_user and api, and no other', async () => {
    const paths = ['/events', `/users/${p.developer.username}/events`, feed]
    for (const [scope, status] of [
      ['read_user', 200],
      ['api', 200],
      ['read_repository', 403],
    ] as const) {
      const { client } = await w.token(p.developer, [scope])
      for (const path of paths) expect([path, (await client.get(path)).status]).toEqual([path, status])
    }
    for (const path of paths) expect((await w.anonymous.get(path)).status).toBe(401)
  })

  test('epics have no events here', async () => {
    for (const path of ['/events', `/users/${p.developer.id}/events`, feed])
      expect(await list(`${path}?target_type=epic`, p.developer)).toEqual([])
  })

  test('with scope=all have what others did in your projects', async () => {
    const f = await fresh()
    const other = await w.project({ visibility: 'public' })
    for (const { id, developer } of [f, other])
      await created(developer.post(`/projects/${id}/issues`, { title: 'Theirs' }))
    expect(await list('/events', f.guest)).toEqual([])
    const { body, headers } = await f.guest.get('/events?scope=all')
    expect(names(body)).toEqual([['opened', 'Issue']])
    expect([body[0].project_id, headers.get('x-total')]).toEqual([f.id, '1'])
    expect(body[0]).not.toHaveProperty('data')
  })

  test('of a user are found by id and by name', async () => {
    const path = (key: string | number) => `/users/${key}/events`
    const byId = await list(path(p.developer.id), p.developer)
    expect(byId.length).toBeGreaterThan(0)
    expect(await list(path(p.developer.username.toUpperCase()), p.developer)).toEqual(byId)
    expect((await p.developer.get(path('nobody-of-this-name'))).body).toEqual({
      message: '404 User Not Found',
    })
  })

  test('of a user who is removed are gone', async () => {
    const f = await fresh()
    const user: Actor = await w.user()
    await w.member(f.namespaceId, user, 30)
    await created(user.post(`${f.path}/issues`, { title: 'Left behind' }))
    expect(await f.events()).toHaveLength(2)
    expect((await w.root.delete(`/users/${user.id}`)).status).toBe(204)
    await expect.poll(() => f.events()).toEqual([])
    await expect
      .poll(() => w.db.selectFrom('event_streams').select('kind').where('author_id', '=', user.id).execute())
      .toEqual([])
  })

  test('take two statements more than finding the caller', async () => {
    for (const path of ['/events', '/events?scope=all', `/users/${p.developer.id}/events`, feed]) {
      const sent = await w.statements(() => p.developer.get(path))
      expect([path, sent.length]).toEqual([path, path.startsWith('/users') ? 4 : 3])
    }
  })
})
