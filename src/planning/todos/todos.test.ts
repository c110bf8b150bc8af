import { describe, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { type Answer, type Client, linkTo } from '#test/client.ts'
import { collide } from '#test/conflicts.ts'
import { type Actor, unique, w } from '#test/world.ts'
import { setIssuesLevel } from '../issues/test-support.ts'

type Project = Awaited<ReturnType<typeof w.project>>

/** An issue of a project, put on somebody's list. @returns the to-do. */
async function todoOf(actor: Client, { id, owner }: Project, issue: object = {}) {
  const { body } = await owner.post(`/projects/${id}/issues`, { title: unique('To do'), ...issue })
  const answer = await actor.post(`/projects/${id}/issues/${body.iid}/todo`)
  expect(answer.status).toBe(201)
  return answer.body
}

const idsIn = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)
const listOf = async (actor: Client, query = '') => idsIn(await actor.get(`/todos${query}`))
const pathOf = ({ target }: { target: { project_id: number; iid: number } }) =>
  `/projects/${target.project_id}/issues/${target.iid}`

describe('POST /projects/:id/issues/:issue_iid/todo', () => {
  test('puts an issue on the list', async () => {
    const p = await w.project({ visibility: 'public' })
    const { body: issue } = await p.owner.post(`/projects/${p.id}/issues`, {
      title: 'It breaks',
      description: '- [ ] Look',
      labels: 'bug',
      assignee_ids: [p.guest.id],
    })
    const answer = await p.stranger.post(`/projects/${p.encoded}/issues/${issue.iid}/todo`)
    const { subscribed: _, ...target } = issue
    const [path] = p.fullPath.split('/').slice(-1)
    const { body: project } = await p.stranger.get(`/projects/${p.id}`)
    const { body: author } = await p.stranger.get(`/users/${p.stranger.id}`)
    expect(answer).toMatchObject({ status: 201 })
    expect(answer.body).toEqual({
      id: expect.any(Number),
      project: {
        id: p.id,
        name: path,
        name_with_namespace: project.name_with_namespace,
        path,
        path_with_namespace: p.fullPath,
      },
      author: expect.objectContaining({ id: p.stranger.id, web_url: author.web_url }),
      action_name: 'marked',
      target_type: 'Issue',
      target: {
        ...target,
        references: { short: '#1', relative: `${p.fullPath}#1`, full: `${p.fullPath}#1` },
      },
      target_url: issue.web_url,
      body: 'It breaks',
      state: 'pending',
      created_at: expect.stringMatching(/Z$/),
      updated_at: answer.body.created_at,
    })
    expect((await p.stranger.get('/todos')).body).toEqual([answer.body])
  })

  test('answers 304 while it is there, and adds it again once it is done', async () => {
    const p = await w.project()
    const todo = await todoOf(p.guest, p)
    const again = await p.guest.post(`${pathOf(todo)}/todo`)
    expect([again.status, again.text]).toEqual([304, ''])
    // Another person's list is their own.
    expect((await p.planner.post(`${pathOf(todo)}/todo`)).status).toBe(201)
    await p.guest.post(`/todos/${todo.id}/mark_as_done`)
    const anew = await p.guest.post(`${pathOf(todo)}/todo`)
    expect(anew.status).toBe(201)
    expect(anew.body.id).toBeGreaterThan(todo.id)
    expect(await listOf(p.guest)).toEqual([anew.body.id])
    expect(await listOf(p.guest, '?state=done')).toEqual([todo.id])
  })

  test('adds one when many ask at the same moment', async () => {
    const p = await w.project()
    const { body } = await p.owner.post(`/projects/${p.id}/issues`, { title: 'Wanted' })
    const asking = Array.from({ length: 8 }, () => p.guest.post(`/projects/${p.id}/issues/${body.iid}/todo`))
    const statuses = (await Promise.all(asking)).map(({ status }) => status)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([201, ...Array.from({ length: 7 }, () => 304)])
    expect(await listOf(p.guest)).toHaveLength(1)
  })

  test('is refused where the issue may not be read', async () => {
    const p = await w.project({ visibility: 'public' })
    const { body: open } = await p.owner.post(`/projects/${p.id}/issues`, { title: 'Open' })
    const { body: hidden } = await p.owner.post(`/projects/${p.id}/issues`, {
      title: 'Hidden',
      confidential: true,
    })
    const at = (iid: number | string) => `/projects/${p.id}/issues/${iid}/todo`
    expect((await p.anonymous.post(at(open.iid))).status).toBe(401)
    expect((await p.stranger.post(at(hidden.iid))).status).toBe(404)
    expect((await p.stranger.post(at(999))).status).toBe(404)
    expect((await p.stranger.post(at('x'))).body).toMatchObject({ error: 'issue_iid is invalid' })
    const closed = await w.project()
    expect((await p.stranger.post(`/projects/${closed.id}/issues/1/todo`)).status).toBe(404)
    const { client } = await w.token(p.stranger, ['read_api'])
    expect((await client.post(at(open.iid))).status).toBe(403)
    expect(await listOf(p.stranger)).toEqual([])
  })
})

describe('GET /todos', () => {
  test("lists the caller's own, newest first, in pages", async () => {
    const p = await w.project()
    const todos = []
    for (let made = 0; made < 5; made += 1) todos.unshift((await todoOf(p.guest, p)).id)
    await todoOf(p.planner, p)
    const first = await p.guest.get('/todos?per_page=2')
    expect(idsIn(first)).toEqual(todos.slice(0, 2))
    expect(['x-total', 'x-total-pages', 'x-next-page'].map((name) => first.headers.get(name))).toEqual([
      '5',
      '3',
      '2',
    ])
    const second = await p.guest.get(linkTo('next', first) ?? '')
    expect(idsIn(second)).toEqual(todos.slice(2, 4))
    expect(idsIn(await p.guest.get('/todos?per_page=2&page=3'))).toEqual(todos.slice(4))
    expect(idsIn(await p.guest.get('/todos?per_page=2&page=4'))).toEqual([])
    const { client } = await w.token(p.guest, ['read_api'])
    expect(await listOf(client)).toEqual(todos)
  })

  test('filters', async () => {
    const group = await w.group()
    const [inside, beside] = [await w.project({ parent: group.id }), await w.project()]
    const user = await w.user()
    for (const { namespaceId } of [inside, beside]) await w.member(namespaceId, user, levels.guest)
    const one = (await todoOf(user, inside)).id
    const two = (await todoOf(user, beside)).id
    const done = (await todoOf(user, beside)).id
    await user.post(`/todos/${done}/mark_as_done`)
    const found = {
      '': [two, one],
      '?state=pending': [two, one],
      '?state=done': [done],
      '?action=marked': [two, one],
      '?action=assigned': [],
      '?type=Issue': [two, one],
      '?type=MergeRequest': [],
      [`?author_id=${user.id}`]: [two, one],
      '?author_id=1': [],
      [`?project_id=${inside.id}`]: [one],
      [`?project_id=${beside.id}&state=done`]: [done],
      [`?group_id=${group.id}`]: [one],
      [`?group_id=${beside.groupId}`]: [two],
      '?group_id=999999999': [],
      '?project_id=999999999': [],
    }
    for (const [query, ids] of Object.entries(found))
      expect([query, await listOf(user, query)]).toEqual([query, ids])
  })

  test('refuses parameters that say nothing it knows', async () => {
    const user = await w.user()
    const refused = {
      '?state=all': 'state does not have a valid value',
      '?action=wished': 'action does not have a valid value',
      '?type=Dream': 'type does not have a valid value',
      '?author_id=me': 'author_id is invalid',
      '?project_id=a%2Fb': 'project_id is invalid',
      '?group_id=x': 'group_id is invalid',
    }
    for (const [query, error] of Object.entries(refused))
      expect(await user.get(`/todos${query}`)).toMatchObject({ status: 400, body: { error } })
    expect((await w.anonymous.get('/todos')).status).toBe(401)
  })

  test('leaves out what the caller may no longer read, also in totals', async () => {
    const p = await w.project({ visibility: 'public' })
    const open = await todoOf(p.stranger, p)
    const turned = await todoOf(p.stranger, p)
    const expectSeen = async (ids: number[], by: Actor = p.stranger) => {
      const answer = await by.get('/todos')
      expect([idsIn(answer), answer.headers.get('x-total')]).toEqual([ids, String(ids.length)])
      expect((await by.get('/user_counts')).body.todos).toBe(ids.length)
    }
    await expectSeen([turned.id, open.id])
    await p.owner.put(pathOf(turned), { confidential: true })
    await expectSeen([open.id])
    expect((await p.stranger.post(`/todos/${turned.id}/mark_as_done`)).status).toBe(404)
    await setIssuesLevel(p.id, 'private')
    await expectSeen([])
    await setIssuesLevel(p.id, 'enabled')
    await p.owner.put(`/projects/${p.id}`, { visibility: 'private' })
    await expectSeen([])
    await w.member(p.namespaceId, p.stranger, levels.planner)
    // What was marked as done while it was hidden is done.
    await expectSeen([open.id])
  })

  test('shows long descriptions whole, those of one issue with each of its to-dos', async () => {
    const p = await w.project()
    const description = 'x'.repeat(600_000)
    const first = await todoOf(p.guest, p, { description })
    for (let more = 0; more < 2; more += 1) {
      await p.guest.post('/todos/mark_as_done')
      await p.guest.post(`${pathOf(first)}/todo`)
    }
    await p.guest.post('/todos/mark_as_done')
    const { body } = await p.guest.get('/todos?state=done')
    expect(body.map((todo: typeof first) => todo.target.description.length)).toEqual([
      600_000, 600_000, 600_000,
    ])
    expect(new Set(body.map((todo: typeof first) => todo.id)).size).toBe(3)
  })

  test('takes as many statements for a page as for one', async () => {
    const p = await w.project()
    await todoOf(p.guest, p, { labels: 'one,two', assignee_ids: [p.planner.id] })
    await p.guest.get('/todos')
    const few = await w.statements(() => p.guest.get('/todos'))
    for (let made = 0; made < 6; made += 1) await todoOf(p.guest, p)
    const many = await w.statements(() => p.guest.get('/todos'))
    expect(many).toEqual(few)
  })
})

describe('POST /todos/:id/mark_as_done', () => {
  test('marks one as done, and leaves one that is done as it is', async () => {
    const p = await w.project()
    const [todo, other] = [await todoOf(p.guest, p), await todoOf(p.guest, p)]
    const answer = await p.guest.post(`/todos/${todo.id}/mark_as_done`)
    expect(answer).toMatchObject({
      status: 201,
      body: { ...todo, state: 'done', updated_at: expect.any(String) },
    })
    expect(await listOf(p.guest)).toEqual([other.id])
    const again = await p.guest.post(`/todos/${todo.id}/mark_as_done`)
    expect([again.status, again.body]).toEqual([201, answer.body])
  })

  test("is refused for what is not on the caller's list", async () => {
    const p = await w.project()
    const todo = await todoOf(p.guest, p)
    for (const by of [p.owner, w.root])
      expect(await by.post(`/todos/${todo.id}/mark_as_done`)).toMatchObject({
        status: 404,
        body: { message: '404 Not found' },
      })
    expect((await p.guest.post('/todos/999999999/mark_as_done')).status).toBe(404)
    expect((await p.guest.post('/todos/x/mark_as_done')).body).toMatchObject({ error: 'id is invalid' })
    expect((await p.anonymous.post(`/todos/${todo.id}/mark_as_done`)).status).toBe(401)
    expect(await listOf(p.guest)).toEqual([todo.id])
  })
})

test("POST /todos/mark_as_done marks all of the caller's own", async () => {
  const p = await w.project()
  const todos = [(await todoOf(p.guest, p)).id, (await todoOf(p.guest, p)).id]
  const others = (await todoOf(p.planner, p)).id
  const answer = await p.guest.post('/todos/mark_as_done')
  expect([answer.status, answer.text]).toEqual([204, ''])
  expect(await listOf(p.guest)).toEqual([])
  expect(await listOf(p.guest, '?state=done')).toEqual(todos.toReversed())
  expect(await listOf(p.planner)).toEqual([others])
  expect((await p.guest.post('/todos/mark_as_done')).status).toBe(204)
})

describe('at the same moment as', () => {
  const rivals = {
    'deleting the issue': (p: Project, issue: string) => p.owner.delete(issue),
    'deleting the project': ({ id, owner }: Project) => owner.delete(`/projects/${id}`),
    'marking all as done': ({ owner }: Project) => owner.post('/todos/mark_as_done'),
  }
  test.each(Object.entries(rivals))('%s, to-dos are added and marked as done', async (_, rival) => {
    const p = await w.project()
    const todos = [await todoOf(p.owner, p), await todoOf(p.owner, p)]
    const [first] = todos.map(pathOf)
    const rivalry = () => rival(p, first ?? '')
    await collide(() => p.guest.post(`${first}/todo`), rivalry)
    await collide(() => p.owner.post(`/todos/${todos[0].id}/mark_as_done`), rivalry)
    const [all] = await collide(() => p.owner.post('/todos/mark_as_done'), rivalry)
    expect(all.map(({ status }) => status)).toEqual([204, 204])
  })
})

describe('what becomes of a to-do when its issue', () => {
  test('is deleted, with it or with its project: it goes', async () => {
    const [p, q] = [await w.project({ visibility: 'public' }), await w.project({ visibility: 'public' })]
    const [gone, stays, later] = [
      await todoOf(p.guest, p),
      await todoOf(p.guest, p),
      await todoOf(p.guest, q),
    ]
    expect((await p.owner.delete(pathOf(gone))).status).toBe(204)
    expect(await listOf(p.guest)).toEqual([later.id, stays.id])
    expect((await p.guest.post(`/todos/${gone.id}/mark_as_done`)).status).toBe(404)
    await q.owner.delete(`/projects/${q.id}`)
    expect(await listOf(p.guest)).toEqual([stays.id])
    await expect
      .poll(() => w.db.selectFrom('todos').select('id').where('id', '=', later.id).execute())
      .toEqual([])
  })

  test('is moved or its project is transferred: it stays with the issue that it was about', async () => {
    const [p, q] = [await w.project(), await w.project()]
    const todo = await todoOf(p.owner, p)
    await w.member(q.namespaceId, p.owner, levels.owner)
    await w.member(q.groupId, p.owner, levels.owner)
    const { body: moved } = await p.owner.post(`${pathOf(todo)}/move`, { to_project_id: q.id })
    const left = (await p.owner.get('/todos')).body
    expect(left).toMatchObject([{ id: todo.id, target: { state: 'closed', moved_to_id: moved.id } }])
    const { status } = await w.root.put(`/projects/${p.id}/transfer`, { namespace: q.groupId })
    expect(status).toBe(200)
    const [after] = (await p.owner.get('/todos')).body
    expect(after.target_url).toBe(after.target.web_url)
    expect(after.project.path_with_namespace).not.toBe(p.fullPath)
    expect(await listOf(p.owner, `?group_id=${q.groupId}`)).toEqual([todo.id])
    expect(await listOf(p.owner, `?group_id=${p.groupId}`)).toEqual([])
  })

  test.each([false, true])('is kept and the user is deleted (hard: %s): it goes', async (hard) => {
    const p = await w.project({ visibility: 'public' })
    const todo = await todoOf(p.stranger, p)
    expect((await w.root.delete(`/users/${p.stranger.id}?hard_delete=${hard}`)).status).toBe(204)
    await expect
      .poll(() => w.db.selectFrom('todos').select('id').where('id', '=', todo.id).execute())
      .toEqual([])
    expect((await p.guest.get(pathOf(todo))).status).toBe(200)
  })
})
