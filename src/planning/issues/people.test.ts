import { describe, expect, test } from 'vitest'
import type { Answer } from '#test/client.ts'
import { w } from '#test/world.ts'

/** A public project with an issue by its reporter, and the path of the issue. */
async function withIssue(issue: object = {}) {
  const p = await w.project({ visibility: 'public' })
  const { body } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'It breaks', ...issue })
  return { ...p, issue: body, path: `/projects/${p.id}/issues/${body.iid}` }
}

/** A note on an issue, as its row. */
async function note(issueId: number, author: { id: number }, given: object = {}): Promise<number> {
  const { id } = await w.db
    .insertInto('notes')
    .values({
      noteable_id: issueId,
      author_id: author.id,
      body: 'A comment',
      discussion_id: Buffer.alloc(20, 1),
      starts_discussion: true,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      ...given,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

async function mention(
  noteable_id: number,
  user: { id: number },
  note_id: number | null = null,
): Promise<void> {
  await w.db.insertInto('user_mentions').values({ noteable_id, note_id, user_id: user.id }).execute()
}

const ids = ({ body }: Answer): number[] => body.map(({ id }: { id: number }) => id)
const inOrder = (...people: { id: number }[]) => people.map(({ id }) => id).toSorted((a, b) => a - b)

describe('GET /projects/:id/issues/:issue_iid/participants', () => {
  test('lists author, assignees, who commented and who is mentioned, each once', async () => {
    const p = await withIssue()
    const assignee_ids = [p.developer.id, p.reporter.id]
    await p.planner.put(p.path, { assignee_ids, title: 'Told in a record of the system' })
    const comment = await note(p.issue.id, p.guest)
    await note(p.issue.id, p.guest)
    await mention(p.issue.id, p.stranger)
    await mention(p.issue.id, p.owner, comment)
    await mention(p.issue.id, p.guest, comment)
    const answer = await p.anonymous.get(`${p.path}/participants`)
    expect(ids(answer)).toEqual(inOrder(p.reporter, p.developer, p.guest, p.stranger, p.owner))
    expect(answer.body[0]).toEqual(
      expect.objectContaining({ id: p.guest.id, username: p.guest.username, state: 'active', locked: false }),
    )
  })

  test('lets nobody know of internal notes and of who is mentioned there', async () => {
    const p = await withIssue()
    const internal = await note(p.issue.id, p.developer, { internal: true })
    await mention(p.issue.id, p.owner, internal)
    const own = await note(p.issue.id, p.stranger, { internal: true })
    await mention(p.issue.id, p.maintainer, own)
    const path = `${p.path}/participants`
    const hidden = await p.guest.get(path)
    expect(ids(hidden)).toEqual([p.reporter.id])
    expect(hidden.headers.get('x-total')).toBe('1')
    expect(ids(await p.stranger.get(path))).toEqual(inOrder(p.reporter, p.stranger, p.maintainer))
    const everybody = inOrder(p.reporter, p.developer, p.owner, p.stranger, p.maintainer)
    expect(ids(await p.planner.get(path))).toEqual(everybody)
  })

  test('leaves out who is deleted, and the ghost who has their comments', async () => {
    const p = await withIssue()
    const [user, ghost] = [await w.user(), (await w.root.get('/users?username=ghost')).body[0]]
    await note(p.issue.id, user)
    await note(p.issue.id, ghost)
    expect(ids(await p.guest.get(`${p.path}/participants`))).toContain(user.id)
    await w.db
      .updateTable('users')
      .set({ deleted_at: '2026-01-01T00:00:00Z' })
      .where('id', '=', user.id)
      .execute()
    expect(ids(await p.guest.get(`${p.path}/participants`))).toEqual([p.reporter.id])
  })

  test('comes in pages, in 3 statements, and not for those who may not see the issue', async () => {
    const p = await withIssue({ assignee_ids: [] })
    for (const who of [p.guest, p.owner, p.developer]) await note(p.issue.id, who)
    const path = `${p.path}/participants`
    const answer = await p.owner.get(`${path}?per_page=3&page=2`)
    expect([answer.body.length, answer.headers.get('x-total')]).toEqual([1, '4'])
    expect(await w.statements(() => p.guest.get(path))).toHaveLength(3)
    await p.planner.put(p.path, { confidential: true })
    expect((await p.guest.get(path)).body.message).toBe('404 Not found')
    expect((await p.planner.get(`/projects/${p.id}/issues/99/participants`)).status).toBe(404)
  })
})

describe('POST /projects/:id/issues/:issue_iid/subscribe', () => {
  test('says what somebody chose, until they choose again', async () => {
    const p = await withIssue()
    const { status, body } = await p.guest.post(`${p.path}/subscribe`)
    expect([status, body.iid, body.subscribed]).toEqual([201, p.issue.iid, true])
    expect((await p.guest.get(p.path)).body.subscribed).toBe(true)
    expect((await p.stranger.get(p.path)).body.subscribed).toBe(false)
    const again = await p.guest.post(`${p.path}/subscribe`)
    expect([again.status, again.text]).toEqual([304, ''])
    expect((await p.guest.post(`${p.path}/unsubscribe`)).body.subscribed).toBe(false)
    expect((await p.guest.post(`${p.path}/unsubscribe`)).status).toBe(304)
    expect((await p.guest.post(`${p.path}/subscribe`)).status).toBe(201)
  })

  test('changes nothing for those who take part, until they unsubscribe', async () => {
    const p = await withIssue({ assignee_ids: [] })
    expect((await p.reporter.post(`${p.path}/subscribe`)).status).toBe(304)
    expect((await p.reporter.post(`${p.path}/unsubscribe`)).status).toBe(201)
    expect((await p.reporter.get(p.path)).body.subscribed).toBe(false)
    expect((await p.reporter.post(`${p.path}/subscribe`)).status).toBe(201)
  })

  test('of 20 at once by one user, one changes something', async () => {
    const p = await withIssue()
    const answers = await Promise.all(Array.from({ length: 20 }, () => p.guest.post(`${p.path}/subscribe`)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 304)).toHaveLength(19)
  })

  test('is not for those who may not see the issue', async () => {
    const p = await withIssue({ confidential: true })
    for (const verb of ['subscribe', 'unsubscribe']) {
      expect((await p.guest.post(`${p.path}/${verb}`)).status).toBe(404)
      expect((await p.anonymous.post(`${p.path}/${verb}`)).status).toBe(401)
    }
  })
})

describe('GET /projects/:id/issues/:issue_iid/user_agent_detail', () => {
  test('tells administrators what an issue was opened with', async () => {
    const p = await w.project()
    const headers = { 'user-agent': 'A browser' }
    const { body } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'Spam' }, { headers })
    const path = `/projects/${p.id}/issues/${body.iid}/user_agent_detail`
    expect((await p.admin.get(path)).body).toEqual({
      user_agent: 'A browser',
      ip_address: expect.stringMatching(/^[\d.:a-f]+$/),
      akismet_submitted: false,
    })
    expect((await p.owner.get(path)).status).toBe(403)
    await w.db.updateTable('issues').set({ user_agent: null, ip: null }).where('id', '=', body.id).execute()
    const unknown = await p.admin.get(path)
    expect([unknown.status, unknown.body.message]).toEqual([404, '404 UserAgentDetail Not Found'])
  })
})
