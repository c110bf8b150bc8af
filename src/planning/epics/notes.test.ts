import { describe, expect, test } from 'vitest'
import { unique } from '#test/world.ts'
import { bodies, ids, onPremium, open, openIssue, own, withEpic } from './test-support.ts'

// Each row of "Notes" in the specification, for epics.

onPremium()

describe('the row of epics in the table of paths', () => {
  test('paths have the id of the epic: its number is 404', async () => {
    // Ids are unique everywhere, numbers in a group: the first epic of all has the same.
    await withEpic()
    const p = await withEpic()
    expect((await p.guest.get(p.notes)).status).toBe(200)
    const byNumber = await p.guest.get(`${p.path}/notes`)
    expect([byNumber.status, byNumber.body]).toEqual([404, { message: '404 Epic Not Found' }])
    expect((await p.guest.get(`${p.path}/discussions`)).status).toBe(404)
  })

  test('the number of one may be the id of another, which then answers', async () => {
    const p = await withEpic()
    await own.db.updateTable('epics').set({ iid: p.epic.id }).where('id', '=', p.epic.id).execute()
    expect((await p.guest.get(`${p.collection}/${p.epic.id}/notes`)).status).toBe(200)
  })

  test('the id of an epic of another group, an unknown id, and a text', async () => {
    const [p, other] = [await withEpic(), await withEpic()]
    for (const id of [other.epic.id, 999_999])
      expect((await p.guest.get(`${p.collection}/${id}/notes`)).body).toEqual({
        message: '404 Epic Not Found',
      })
    expect((await p.guest.get(`${p.collection}/one/notes`)).status).toBe(400)
  })

  test('the group is an id or an encoded path; a former path redirects', async () => {
    const p = await withEpic()
    expect((await p.guest.get(`/groups/${p.encoded}/epics/${p.epic.id}/notes`)).status).toBe(200)
    await p.owner.put(`/groups/${p.id}`, { path: unique('renamed') })
    expect((await p.guest.get(`/groups/${p.encoded}/epics/${p.epic.id}/notes`)).status).toBe(301)
  })

  test('anonymous callers get 401, strangers to a private group 404', async () => {
    const [open, hidden] = [await withEpic({ visibility: 'public' }), await withEpic()]
    expect((await open.anonymous.get(open.notes)).status).toBe(401)
    expect((await hidden.stranger.get(hidden.notes)).body).toEqual({ message: '404 Group Not Found' })
    expect((await open.stranger.get(open.notes)).status).toBe(200)
  })
})

describe('a note', () => {
  test('has the fields of the table: no project, the number of the epic, not imported', async () => {
    const p = await withEpic()
    const { status, body } = await p.guest.post(p.notes, { body: 'Hear' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      type: null,
      body: 'Hear',
      attachment: null,
      author: expect.objectContaining({
        id: p.guest.id,
        username: p.guest.username,
        email: expect.any(String),
      }),
      created_at: expect.any(String),
      updated_at: expect.any(String),
      system: false,
      noteable_id: p.epic.id,
      noteable_type: 'Epic',
      noteable_iid: 1,
      project_id: null,
      resolvable: false,
      confidential: false,
      internal: false,
      imported: false,
      imported_from: 'none',
      commands_changes: {},
    })
    expect((await p.reporter.get(`${p.notes}/${body.id}`)).body.id).toBe(body.id)
  })

  test('that is nothing but an emoji becomes a reaction, which paths find by number', async () => {
    const p = await withEpic()
    const { status, body } = await p.guest.post(p.notes, { body: ':thumbsup:' })
    expect([status, body]).toEqual([
      201,
      expect.objectContaining({ name: 'thumbsup', awardable_type: 'Epic', awardable_id: p.epic.id }),
    ])
    expect((await p.guest.get(p.path)).body).toMatchObject({ upvotes: 1, downvotes: 0 })
    expect(ids(await p.reporter.get(`${p.path}/award_emoji`))).toEqual([body.id])
    expect((await p.reporter.get(`${p.byId}/award_emoji`)).status).toBe(404)
    expect((await p.guest.delete(`${p.path}/award_emoji/${body.id}`)).status).toBe(204)
    expect((await p.guest.get(p.path)).body.upvotes).toBe(0)
  })

  test('takes reactions', async () => {
    const p = await withEpic()
    const { body: note } = await p.guest.post(p.notes, { body: 'Hear' })
    const given = await p.reporter.post(`${p.path}/notes/${note.id}/award_emoji`, { name: 'tada' })
    expect([given.status, given.body.awardable_type]).toEqual([201, 'Note'])
  })
})

describe('list parameters', () => {
  test('sort and order_by; the newest first', async () => {
    const p = await withEpic()
    const made: number[] = []
    for (const body of ['one', 'two', 'three']) made.push((await p.guest.post(p.notes, { body })).body.id)
    const [one, two, three] = made
    expect(ids(await p.guest.get(p.notes))).toEqual([three, two, one])
    expect(ids(await p.guest.get(`${p.notes}?sort=asc`))).toEqual([one, two, three])
    await p.guest.put(`${p.notes}/${one}`, { body: 'changed' })
    expect(ids(await p.guest.get(`${p.notes}?order_by=updated_at`))).toEqual([one, three, two])
    expect((await p.guest.get(`${p.notes}?sort=up`)).status).toBe(400)
    expect((await p.guest.get(`${p.notes}?order_by=title`)).status).toBe(400)
  })

  test('activity_filter is of issues alone: it is ignored', async () => {
    const p = await withEpic()
    await p.guest.post(p.notes, { body: 'Hear' })
    expect((await p.guest.get(`${p.notes}?activity_filter=only_activity`)).body).toHaveLength(1)
  })
})

describe('create parameters', () => {
  test('body is required, at most 1,000,000 characters', async () => {
    const p = await withEpic()
    expect((await p.guest.post(p.notes, {})).body.error).toBe('body is missing')
    expect((await p.guest.post(p.notes, { body: ' ' })).status).toBe(400)
    expect((await p.guest.post(p.notes, { body: 'a'.repeat(1_000_001) })).status).toBe(400)
  })

  test('internal is for Planners and above, and overrides confidential', async () => {
    const p = await withEpic()
    const made = await p.planner.post(p.notes, { body: 'Between us', internal: true, confidential: false })
    expect(made.body).toMatchObject({ internal: true, confidential: true })
    expect((await p.planner.post(p.notes, { body: 'Us', confidential: true })).body.internal).toBe(true)
    expect(
      (await p.planner.post(p.notes, { body: 'All', internal: false, confidential: true })).body.internal,
    ).toBe(false)
    expect((await p.guest.post(p.notes, { body: 'Us', internal: true })).status).toBe(403)
    const list = await p.guest.get(p.notes)
    expect([bodies(list), list.headers.get('x-total')]).toEqual([['All'], '1'])
    expect((await p.guest.get(`${p.notes}/${made.body.id}`)).body).toEqual({ message: '404 Note Not Found' })
  })

  test('created_at is for owners and administrators, and after 1970-01-01', async () => {
    const p = await withEpic()
    const created_at = '2001-01-01T00:00:00.000Z'
    expect((await p.owner.post(p.notes, { body: 'Old', created_at })).body.created_at).toBe(created_at)
    expect((await p.admin.post(p.notes, { body: 'Old', created_at })).body.created_at).toBe(created_at)
    expect((await p.maintainer.post(p.notes, { body: 'Old', created_at })).body.created_at).not.toBe(
      created_at,
    )
    const tooOld = { body: 'Old', created_at: '1970-01-01T00:00:00Z' }
    expect((await p.owner.post(p.notes, tooOld)).status).toBe(400)
  })
})

describe('update parameters', () => {
  test('body is required; confidential makes it internal', async () => {
    const p = await withEpic()
    const { body: note } = await p.planner.post(p.notes, { body: 'Hear' })
    const path = `${p.notes}/${note.id}`
    expect((await p.planner.put(path, {})).body.error).toBe('body is missing')
    expect((await p.planner.put(path, { body: 'Heard', confidential: true })).body).toMatchObject({
      body: 'Heard',
      internal: true,
    })
  })

  test('others need Maintainer', async () => {
    const p = await withEpic()
    const { body: note } = await p.guest.post(p.notes, { body: 'Hear' })
    const path = `${p.notes}/${note.id}`
    expect((await p.developer.put(path, { body: 'No' })).status).toBe(403)
    expect((await p.maintainer.put(path, { body: 'Yes' })).status).toBe(200)
    expect((await p.developer.delete(path)).status).toBe(403)
    expect((await p.guest.delete(path)).status).toBe(204)
  })
})

test('discussions are started, replied to, changed and deleted, by the id of the epic', async () => {
  const p = await withEpic()
  const { status, body } = await p.guest.post(`${p.byId}/discussions`, { body: 'Why?' })
  expect([status, body.notes[0]]).toEqual([
    201,
    expect.objectContaining({ noteable_type: 'Epic', project_id: null }),
  ])
  const thread = `${p.byId}/discussions/${body.id}`
  const reply = await p.reporter.post(`${thread}/notes`, { body: 'Because' })
  expect(reply).toMatchObject({ status: 201, body: { type: 'DiscussionNote' } })
  expect((await p.reporter.put(`${thread}/notes/${reply.body.id}`, { body: 'So' })).status).toBe(200)
  expect((await p.guest.get(`${p.byId}/discussions`)).body[0].notes).toHaveLength(2)
  expect((await p.reporter.delete(`${thread}/notes/${reply.body.id}`)).status).toBe(204)
})

test('changes of state and labels are resource events, others are system notes', async () => {
  const p = await withEpic()
  await p.planner.put(p.path, {
    title: 'New',
    description: 'More',
    add_labels: 'bug',
    start_date_is_fixed: true,
    start_date_fixed: '2026-01-31',
    state_event: 'close',
    confidential: true,
  })
  await p.planner.put(p.path, { remove_labels: 'bug', start_date_fixed: '', confidential: false })
  expect(bodies(await p.planner.get(`${p.notes}?sort=asc`))).toEqual([
    `changed title from **${p.epic.title}** to **New**`,
    'changed the description',
    'changed start date to January 31, 2026',
    'made the epic confidential',
    'removed the start date',
    'made the epic visible to everyone',
  ])
  const events = await p.guest.get(`${p.byId}/resource_label_events`)
  expect(events.body).toMatchObject([
    { action: 'add', label: { name: 'bug' }, resource_type: 'Epic', resource_id: p.epic.id },
    { action: 'remove', label: { name: 'bug' } },
  ])
  expect((await p.guest.get(`${p.byId}/resource_state_events`)).body).toMatchObject([{ state: 'closed' }])
  expect((await p.guest.get(`${p.byId}/resource_milestone_events`)).status).toBe(404)
})

describe('mentions', () => {
  test('of an epic are noted there: by its number, its group, and its page', async () => {
    const p = await withEpic()
    const project = await own.project({ parent: p.id })
    const issue = await openIssue(p.planner, project)
    const notes = `/projects/${project.id}/issues/${issue.iid}/notes`
    await p.guest.post(notes, { body: 'As in &1' })
    expect(bodies(await p.guest.get(p.notes))).toEqual([`mentioned in issue ${project.fullPath}#1`])
    const elsewhere = await withEpic()
    await own.member(p.id, elsewhere.guest, 10)
    await elsewhere.guest.post(elsewhere.notes, { body: `As in ${p.fullPath}&1, or ${p.epic.web_url}` })
    expect(bodies(await elsewhere.guest.get(p.notes))[0]).toBe(`mentioned in epic ${elsewhere.fullPath}&1`)
    // Who does not see the one that mentions does not see the note.
    expect(bodies(await p.guest.get(p.notes))).toEqual([`mentioned in issue ${project.fullPath}#1`])
    const list = await p.guest.get(p.notes)
    expect(list.headers.get('x-total')).toBe('1')
  })

  test('in an epic are noted on issues, for those who see the epic', async () => {
    const project = await own.project({ visibility: 'public' })
    const issue = await openIssue(project.planner, project)
    const p = await withEpic()
    await p.guest.post(p.notes, { body: `${project.fullPath}#${issue.iid}` })
    await p.planner.put(p.path, { description: `${project.fullPath}#${issue.iid}` })
    const notes = `/projects/${project.id}/issues/${issue.iid}/notes`
    expect(bodies(await p.guest.get(notes))).toEqual([`mentioned in epic ${p.fullPath}&1`])
    expect((await project.guest.get(notes)).body).toEqual([])
  })

  test('of people subscribe them', async () => {
    const p = await withEpic()
    expect((await p.guest.get(p.path)).body.subscribed).toBe(false)
    await p.planner.post(p.notes, { body: `@${p.guest.username}: look` })
    expect((await p.guest.get(p.path)).body.subscribed).toBe(true)
  })
})

describe('quick actions', () => {
  const say = async (p: Awaited<ReturnType<typeof withEpic>>, body: string, by = p.planner) =>
    (await by.post(p.notes, { body })).body

  test('change the epic', async () => {
    const p = await withEpic({}, { labels: 'old' })
    const label = await p.planner.post(`/groups/${p.id}/labels`, { name: 'bug', color: 'red' })
    const answer = await p.planner.post(p.notes, {
      body: '/title A better one\n/label ~bug\n/unlabel ~old\n/confidential\n/unsubscribe\n/close',
    })
    expect(answer.status).toBe(202)
    expect(answer.body.summary).toEqual([
      'Changed the title to “A better one”.',
      'Added ~bug label.',
      'Removed ~old label.',
      'Made this epic confidential.',
      'Unsubscribed you from this epic.',
      'Closed this epic.',
    ])
    expect(answer.body.commands_changes).toMatchObject({
      add_label_ids: [label.body.id],
      state_event: 'close',
    })
    expect((await p.planner.get(p.path)).body).toMatchObject({
      title: 'A better one',
      labels: ['bug'],
      confidential: true,
      state: 'closed',
      subscribed: false,
    })
    expect((await say(p, '/reopen')).summary).toEqual(['Reopened this epic.'])
    expect((await p.planner.post(p.notes, { body: '/reopen' })).body.message).toContain(
      'This epic is open already.',
    )
  })

  test('put epics below and above one another', async () => {
    const p = await withEpic()
    const [child, parent] = [await open(p.planner, p), await open(p.planner, p)]
    const answer = await p.guest.post(p.notes, {
      body: `/child_epic &${child.iid}\n/parent_epic ${p.fullPath}&${parent.iid}`,
    })
    expect([answer.status, answer.body]).toEqual([
      202,
      {
        commands_changes: { parent_id: parent.id, add_child_epic_ids: [child.id] },
        summary: ['Added &2 as a child epic.', `Added this epic to ${p.fullPath}&3.`],
      },
    ])
    expect(ids(await p.guest.get(`${p.path}/epics`))).toEqual([child.id])
    expect((await p.guest.get(p.path)).body.parent_id).toBe(parent.id)
    const back = await p.guest.post(p.notes, { body: '/remove_child_epic &2\n/remove_parent_epic' })
    expect(back.body).toEqual({
      commands_changes: { parent_id: null, remove_child_epic_ids: [child.id] },
      summary: ['Removed the child epic &2.', 'Removed the parent epic.'],
    })
    expect(ids(await p.guest.get(`${p.path}/epics`))).toEqual([])
  })

  test('give a reaction and take it back', async () => {
    const p = await withEpic()
    expect((await p.guest.post(p.notes, { body: '/award :heart:' })).body).toEqual({
      commands_changes: { emoji_award: ['heart'] },
      summary: ['Toggled :heart:.'],
    })
    const names = async () =>
      (await p.guest.get(`${p.path}/award_emoji`)).body.map((award: { name: string }) => award.name)
    expect(await names()).toEqual(['heart'])
    await p.guest.post(p.notes, { body: '/react heart' })
    expect(await names()).toEqual([])
  })

  test('that are impossible do nothing and say why', async () => {
    const p = await withEpic()
    const child = await open(p.planner, p, { parent_id: p.epic.id })
    const said = async (body: string, by = p.guest) => {
      const { status, body: answer } = await by.post(p.notes, { body: `Text\n\n${body}` })
      return [status, ...answer.summary]
    }
    expect(await said('/child_epic &99')).toEqual([201, 'There is no epic &99 here.'])
    expect(await said('/child_epic')).toEqual([201, '/child_epic needs an epic.'])
    expect(await said(`/parent_epic &${child.iid}`)).toEqual([
      201,
      '&2 cannot be added: an epic cannot be below itself.',
    ])
    expect(await said('/remove_child_epic &1')).toEqual([201, '&1 is not a child epic of this one.'])
    expect(await said('/remove_parent_epic')).toEqual([201, 'This epic has no parent epic.'])
    expect(await said('/close')).toEqual([201, 'You may not use /close here.'])
    expect(await said('/assign me', p.planner)).toEqual([201, '/assign is only for issues.'])
  })

  test('on issues: /epic and /remove_epic', async () => {
    const p = await withEpic()
    const project = await own.project({ parent: p.id })
    const issue = await openIssue(p.planner, project)
    const path = `/projects/${project.id}/issues/${issue.iid}`
    const answer = await p.planner.post(`${path}/notes`, { body: '/epic &1' })
    expect(answer.body).toEqual({
      commands_changes: { epic_id: p.epic.id },
      summary: ['Added this issue to &1.'],
    })
    expect((await p.guest.get(path)).body.epic.id).toBe(p.epic.id)
    expect((await p.planner.post(`${path}/notes`, { body: '/epic &1' })).body.message).toContain(
      'This issue is in &1 already.',
    )
    expect((await p.planner.post(`${path}/notes`, { body: '/remove_epic' })).status).toBe(202)
    expect((await p.guest.get(path)).body.epic).toBeNull()
    expect((await p.planner.post(`${path}/notes`, { body: '/child_epic &1' })).body.message).toContain(
      '/child_epic is only for epics.',
    )
    const secret = await open(p.planner, p, { confidential: true })
    expect((await p.planner.post(`${path}/notes`, { body: `/epic &${secret.iid}` })).body.message).toContain(
      'issues of a confidential epic are confidential, too',
    )
    const elsewhere = await withEpic({ visibility: 'public' })
    expect(
      (await p.planner.post(`${path}/notes`, { body: `/epic ${elsewhere.fullPath}&1` })).body.message,
    ).toContain('Only members of the group')
  })
})
