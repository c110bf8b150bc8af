import { describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { unique, w } from '#test/world.ts'

/** A project with an issue by its planner, and the path of the issue. */
async function withIssue(issue: object = {}) {
  const p = await w.project({ visibility: 'public' })
  const { body } = await p.planner.post(`/projects/${p.id}/issues`, { title: 'It breaks', ...issue })
  const path = `/projects/${p.id}/issues/${body.iid}`
  const events = (sort: string, suffix = '') => p.planner.get(`${path}/resource_${sort}_events${suffix}`)
  return { ...p, issue: body, path, events }
}

let milestones = 0
async function milestone(namespaceId: number): Promise<number> {
  const { id } = await w.db
    .insertInto('milestones')
    .values({
      namespace_id: namespaceId,
      iid: (milestones += 1),
      title: unique('milestone'),
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function notesOn(issueId: number): Promise<number> {
  const notes = await w.db.selectFrom('notes').select('id').where('noteable_id', '=', issueId).execute()
  return notes.length
}

const refusal = ({ status, body }: Answer) => [status, body.message]

describe('GET …/resource_state_events', () => {
  test('tells of closing and reopening, one event for each change and no note', async () => {
    const p = await withIssue()
    w.clock.hold('2031-02-03T04:05:06.789Z')
    await p.planner.put(p.path, { state_event: 'close' })
    await p.planner.put(p.path, { state_event: 'close' })
    await p.owner.put(p.path, { state_event: 'reopen' })
    const { status, body } = await p.events('state')
    expect(status).toBe(200)
    expect(body).toEqual([
      {
        id: expect.any(Number),
        user: expect.objectContaining({ id: p.planner.id, username: p.planner.username }),
        created_at: '2031-02-03T04:05:06.789Z',
        resource_type: 'Issue',
        resource_id: p.issue.id,
        source_commit: null,
        state: 'closed',
      },
      expect.objectContaining({ state: 'reopened', user: expect.objectContaining({ id: p.owner.id }) }),
    ])
    expect(await notesOn(p.issue.id)).toBe(0)
    expect((await p.events('state', `/${body[1].id}`)).body).toEqual(body[1])
  })
})

describe('GET …/resource_label_events', () => {
  test('tells of each label that was put on or taken off, and no note', async () => {
    const p = await withIssue({ labels: 'bug' })
    await p.planner.put(p.path, { add_labels: 'urgent', remove_labels: 'bug' })
    const { body } = await p.events('label')
    const changes = body.map(({ action, label }: { action: string; label: { name: string } }) => [
      action,
      label.name,
    ])
    expect(changes).toEqual([
      ['add', 'bug'],
      ['remove', 'bug'],
      ['add', 'urgent'],
    ])
    expect(body[0]).toEqual({
      id: expect.any(Number),
      user: expect.objectContaining({ id: p.planner.id }),
      created_at: expect.any(String),
      resource_type: 'Issue',
      resource_id: p.issue.id,
      label: {
        id: expect.any(Number),
        name: 'bug',
        description: null,
        description_html: '',
        text_color: expect.any(String),
        color: '#6699cc',
        archived: false,
      },
      action: 'add',
    })
    expect(await notesOn(p.issue.id)).toBe(0)
    expect((await p.events('label', `/${body[0].id}`)).body).toEqual(body[0])
  })

  test('has no label that is gone, or that is not of the project or a group above it', async () => {
    const p = await withIssue({ labels: 'bug' })
    const former = await w.group()
    const label = { name: 'secret', color: 'red' }
    const { body } = await former.owner.post(`/groups/${former.id}/labels`, label)
    const event = { kind: 'label', action: 'add', created_at: p.issue.created_at } as const
    await w.db
      .insertInto('resource_events')
      .values({ ...event, noteable_id: p.issue.id, label_id: body.id })
      .execute()
    expect((await p.planner.delete(`/projects/${p.id}/labels/bug`)).status).toBe(204)
    const answer = await p.events('label')
    expect(answer.body.map(({ label }: { label: unknown }) => label)).toEqual([null, null])
    expect(answer.text).not.toContain('secret')
  })
})

describe('GET …/resource_milestone_events', () => {
  test('tells of the milestone that was left and the one that came, and no note', async () => {
    const p = await withIssue()
    const [first, second] = [await milestone(p.namespaceId), await milestone(p.groupId)]
    await p.planner.put(p.path, { milestone_id: first })
    await p.planner.put(p.path, { milestone_id: second })
    const { body } = await p.events('milestone')
    const changes = body.map(
      ({ action, milestone: { id } }: { action: string; milestone: { id: number } }) => [action, id],
    )
    expect(changes).toEqual([
      ['add', first],
      ['remove', first],
      ['add', second],
    ])
    expect(body[0].milestone).toMatchObject({ project_id: p.id, state: 'active' })
    expect(await notesOn(p.issue.id)).toBe(0)
    await w.db.deleteFrom('milestones').where('id', '=', first).execute()
    expect((await p.events('milestone', `/${body[0].id}`)).body).toEqual({ ...body[0], milestone: null })
  })
})

describe('GET …/resource_weight_events', () => {
  test('tells of each weight, from the first to none, and no note', async () => {
    const p = await withIssue({ weight: 3 })
    await p.planner.put(p.path, { weight: 3 })
    await p.owner.put(p.path, { weight: 8 })
    await p.owner.put(p.path, { weight: '' })
    const { status, body } = await p.events('weight')
    expect(status).toBe(200)
    expect(body[0]).toEqual({
      id: expect.any(Number),
      user: expect.objectContaining({ id: p.planner.id, username: p.planner.username }),
      created_at: expect.any(String),
      resource_type: 'Issue',
      resource_id: p.issue.id,
      issue_id: p.issue.id,
      weight: 3,
    })
    expect(body.map(({ weight }: { weight: number | null }) => weight)).toEqual([3, 8, null])
    expect(body[1].user.id).toBe(p.owner.id)
    expect(await notesOn(p.issue.id)).toBe(0)
    expect((await p.events('weight', `/${body[2].id}`)).body).toEqual(body[2])
  })

  test('tells of a weight that a command in a note set', async () => {
    const p = await withIssue()
    await p.planner.post(`${p.path}/notes`, { body: '/weight 5' })
    expect((await p.events('weight')).body).toMatchObject([{ weight: 5, user: { id: p.planner.id } }])
  })
})

describe('GET …/resource_iteration_events', () => {
  test('is empty, with the headers of a page, and hidden with the issue', async () => {
    const p = await withIssue({ confidential: true })
    const { status, body, headers } = await p.events('iteration')
    expect([status, body, headers.get('x-total')]).toEqual([200, [], '0'])
    expect((await p.events('iteration', '/1')).status).toBe(404)
    const hidden = await p.stranger.get(`${p.path}/resource_iteration_events`)
    expect(refusal(hidden)).toEqual([404, '404 Issue Not Found'])
  })
})

describe('events of an issue', () => {
  test('come oldest first, in pages', async () => {
    const p = await withIssue()
    for (const state_event of ['close', 'reopen', 'close']) await p.planner.put(p.path, { state_event })
    const first = await p.events('state', '?per_page=2')
    expect(first.body.map(({ state }: { state: string }) => state)).toEqual(['closed', 'reopened'])
    expect(first.headers.get('x-total')).toBe('3')
    expect((await p.events('state', '?per_page=2&page=2')).body).toHaveLength(1)
  })

  test('take 2 statements, as a list and one by one', async () => {
    const p = await withIssue({ labels: 'bug' })
    const milestone_id = await milestone(p.namespaceId)
    await p.planner.put(p.path, { state_event: 'close', milestone_id, weight: 1 })
    for (const sort of ['state', 'label', 'milestone', 'weight']) {
      const { body } = await p.events(sort)
      expect(await w.statements(() => p.events(sort))).toHaveLength(2)
      expect(await w.statements(() => p.events(sort, `/${body[0].id}`))).toHaveLength(2)
    }
  })

  test('name nobody when who did it is gone', async () => {
    const p = await withIssue()
    await p.planner.put(p.path, { state_event: 'close' })
    await w.db
      .updateTable('resource_events')
      .set({ user_id: null })
      .where('noteable_id', '=', p.issue.id)
      .execute()
    expect((await p.events('state')).body[0].user).toBeNull()
  })

  test('are hidden with the issue, and are those of this issue and this sort alone', async () => {
    const [p, other] = [await withIssue({ labels: 'bug' }), await withIssue({ labels: 'bug' })]
    const [{ id }] = (await p.events('label')).body
    expect(refusal(await p.events('state', `/${id}`))).toEqual([404, '404 Not found'])
    expect(refusal(await other.events('label', `/${id}`))).toEqual([404, '404 Not found'])
    expect((await p.events('label', '/x')).status).toBe(400)
    await p.planner.put(p.path, { confidential: true })
    for (const sort of ['state', 'label', 'milestone', 'weight']) {
      const path = `${p.path}/resource_${sort}_events`
      expect(refusal(await p.guest.get(path))).toEqual([404, '404 Issue Not Found'])
      expect(refusal(await p.guest.get(`${path}/${id}`))).toEqual([404, '404 Issue Not Found'])
      expect((await p.anonymous.get(path)).status).toBe(401)
    }
  })
})
