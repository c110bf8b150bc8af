import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { insertIssues } from '#test/issues.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'
import { until } from '#test/until.ts'

async function open(by: Actor, projectId: number, more: object = {}) {
  const { status, body } = await by.post(`/projects/${projectId}/issues`, {
    title: unique('issue'),
    ...more,
  })
  expect(status).toBe(201)
  return { ...body, path: `/projects/${projectId}/issues/${body.iid}` }
}

interface Issue {
  readonly iid: number
  readonly project_id: number
  readonly path: string
}

const link = (by: Actor, issue: Issue, other: Issue, link_type?: string) =>
  by.post(`${issue.path}/links`, {
    target_project_id: other.project_id,
    target_issue_iid: other.iid,
    link_type,
  })

/** What is recorded on an issue for all to read. */
async function recordsOf(issue: { id: number }): Promise<string[]> {
  const rows = await w.db
    .selectFrom('notes')
    .select('body')
    .where('noteable_id', '=', issue.id)
    .orderBy('id')
    .execute()
  return rows.map(({ body }) => body)
}

/** Those that somebody may read. */
async function recordsSeenBy(by: Actor, issue: Issue): Promise<string[]> {
  const { body } = await by.get(`${issue.path}/notes?activity_filter=only_activity`)
  return body.map((note: { body: string }) => note.body).toSorted()
}

const projectWithTwo = async (options: Parameters<typeof w.project>[0] = {}) => {
  const p = await w.project(options)
  return { p, one: await open(p.reporter, p.id), two: await open(p.reporter, p.id) }
}

describe('POST /projects/:id/issues/:issue_iid/links', () => {
  test('relates an issue to another one, told on both', async () => {
    const { p, one, two } = await projectWithTwo()
    const { status, body } = await link(p.guest, one, two)
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        id: expect.any(Number),
        source_issue: { id: one.id, references: { relative: '#1' } },
        target_issue: { id: two.id },
        link_type: 'relates_to',
      },
    })
    expect(await recordsOf(one)).toEqual(['marked this issue as related to #2'])
    expect(await recordsOf(two)).toEqual(['marked this issue as related to #1'])
  })

  test('says of what blocks and of what is blocked, whichever way it is asked for', async () => {
    const { p, one, two } = await projectWithTwo()
    const three = await open(p.reporter, p.id)
    expect((await link(p.reporter, one, two, 'blocks')).body).toMatchObject({
      source_issue: { id: one.id, blocking_issues_count: 1 },
      target_issue: { id: two.id, blocking_issues_count: 0 },
      link_type: 'blocks',
    })
    expect((await link(p.reporter, one, three, 'is_blocked_by')).body).toMatchObject({
      source_issue: { id: three.id },
      target_issue: { id: one.id },
      link_type: 'blocks',
    })
    expect(await recordsOf(one)).toEqual([
      'marked this issue as blocking #2',
      'marked this issue as blocked by #3',
    ])
    expect(await recordsOf(two)).toEqual(['marked this issue as blocked by #1'])
    expect(await recordsOf(three)).toEqual(['marked this issue as blocking #1'])
  })

  test('takes the project of the other issue by path, also by a former one', async () => {
    const { p, one } = await projectWithTwo({ visibility: 'internal' })
    const q = await w.project({ parent: p.groupId, visibility: 'internal' })
    await w.member(q.namespaceId, p.owner, 50)
    const there = await open(q.reporter, q.id)
    const more = await open(q.reporter, q.id)
    const by = (target_project_id: string, { iid }: Issue) =>
      p.owner.post(`${one.path}/links`, { target_project_id, target_issue_iid: String(iid) })
    const { body } = await by(q.fullPath, there)
    const path = q.fullPath.split('/').at(-1)
    expect(body.target_issue.references).toEqual({
      short: '#1',
      relative: `${path}#1`,
      full: `${q.fullPath}#1`,
    })
    expect(await recordsOf(there)).toEqual([`marked this issue as related to ${p.fullPath}#1`])
    await q.owner.put(`/projects/${q.id}`, { path: unique('renamed') })
    expect((await by(q.fullPath, more)).status).toBe(201)
  })

  test('refuses what is linked already, from either side and in any way', async () => {
    const { p, one, two } = await projectWithTwo()
    await link(p.reporter, one, two)
    for (const again of [await link(p.reporter, one, two), await link(p.reporter, two, one, 'blocks')]) {
      expect(again).toMatchObject({ status: 409, body: { message: 'Issue(s) already assigned' } })
    }
    expect(await recordsOf(one)).toHaveLength(1)
  })

  test('lets one of several links at once between two issues win', async () => {
    const { p, one, two } = await projectWithTwo()
    const answers = await Promise.all([
      ...Array.from({ length: 4 }, () => link(p.reporter, one, two)),
      ...Array.from({ length: 4 }, () => link(p.reporter, two, one, 'blocks')),
    ])
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b)
    expect(statuses).toEqual([201, ...Array.from({ length: 7 }, () => 409)])
  })

  test('refuses an issue with itself', async () => {
    const { p, one } = await projectWithTwo()
    expect(await link(p.reporter, one, one)).toMatchObject({
      status: 422,
      body: { message: '#1 cannot be added: cannot be related to itself' },
    })
  })

  test('refuses more links than are listed at once', async () => {
    const { p, one, two } = await projectWithTwo()
    await insertIssues(
      w.db,
      sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
        select ${p.id}, 1000 + n, 'x', ${p.reporter.id}, now(), now() from generate_series(1, 1000) n`,
    )
    await w.running.services.pool.query(
      `insert into issue_links (source_id, target_id, link_type, created_at, updated_at)
      select case id % 2 when 0 then id else ${one.id} end, case id % 2 when 0 then ${one.id} else id end,
        'blocks', now(), now() from issues where project_id = ${p.id} and iid > 1000`,
    )
    expect(await link(p.reporter, two, one)).toMatchObject({
      status: 422,
      body: { message: '#1 has 1000 links, which is as many as an issue can have' },
    })
    expect((await p.guest.get(`${one.path}/links`)).body).toHaveLength(1_000)
  })

  test('does not tell what may not be read from what is not there', async () => {
    const { p, one } = await projectWithTwo()
    const closed = await w.project()
    const hidden = await open(closed.owner, closed.id)
    const secret = await open(p.planner, p.id, { confidential: true })
    const to = (target_project_id: number | string, target_issue_iid: number) =>
      p.guest.post(`${one.path}/links`, { target_project_id, target_issue_iid })
    const noProject = { status: 404, body: { message: '404 Project Not Found' } }
    expect(await to(closed.id, hidden.iid)).toMatchObject(noProject)
    expect(await to(999_999_999, 1)).toMatchObject(noProject)
    const noIssue = { status: 404, body: { message: '404 Not found' } }
    expect(await to(p.id, secret.iid)).toMatchObject(noIssue)
    expect(await to(p.id, 999)).toMatchObject(noIssue)
    expect(await p.guest.post(`${secret.path}/links`, target(one))).toMatchObject(noIssue)
  })

  test('is for members of both projects', async () => {
    const { p, one } = await projectWithTwo({ visibility: 'public' })
    const q = await w.project({ visibility: 'public' })
    const there = await open(q.reporter, q.id)
    expect((await link(p.owner, one, there)).status).toBe(403)
    expect((await link(q.owner, one, there)).status).toBe(403)
    await w.member(q.namespaceId, p.guest, 10)
    expect((await link(p.guest, one, there)).status).toBe(201)
  })

  test('says what is missing or wrong', async () => {
    const { p, one, two } = await projectWithTwo()
    const send = (json: object) => p.guest.post(`${one.path}/links`, json)
    expect((await send({})).body).toEqual({
      message: '400 (Bad request) "target_project_id" not given',
      error: 'target_project_id is missing, target_issue_iid is missing',
    })
    for (const wrong of [{ target_issue_iid: 'x' }, { target_issue_iid: 0 }, { link_type: 'likes' }]) {
      expect((await send({ ...target(two), ...wrong })).status).toBe(400)
    }
  })
})

const target = ({ project_id, iid }: Issue) => ({ target_project_id: project_id, target_issue_iid: iid })

describe('GET /projects/:id/issues/:issue_iid/links', () => {
  const typesIn = async (by: Actor | Place['anonymous'], issue: Issue) =>
    (await by.get(`${issue.path}/links`)).body.map((row: Record<string, unknown>) => [
      row['iid'],
      row['link_type'],
    ])

  test('lists the other issues, each as seen from this one, in the order of linking', async () => {
    const { p, one, two } = await projectWithTwo()
    const [three, four] = [await open(p.reporter, p.id), await open(p.reporter, p.id)]
    const { body: made } = await link(p.reporter, one, four, 'blocks')
    await link(p.reporter, one, two, 'is_blocked_by')
    await link(p.reporter, three, one)
    expect(await typesIn(p.guest, one)).toEqual([
      [4, 'blocks'],
      [2, 'is_blocked_by'],
      [3, 'relates_to'],
    ])
    expect(await typesIn(p.guest, four)).toEqual([[1, 'is_blocked_by']])
    expect(await typesIn(p.guest, two)).toEqual([[1, 'blocks']])
    const [first] = (await p.guest.get(`${one.path}/links`)).body
    expect(first).toMatchObject({
      id: four.id,
      title: four.title,
      issue_link_id: made.id,
      link_created_at: expect.stringMatching(/Z$/),
      link_updated_at: expect.stringMatching(/Z$/),
    })
  })

  test('leaves out what the viewer may not see, also in the records and in the count of what is blocked', async () => {
    const { p, one, two } = await projectWithTwo({ visibility: 'public' })
    const q = await w.project()
    await w.member(q.namespaceId, p.owner, 50)
    const hidden = await open(p.owner, q.id)
    const secret = await open(p.owner, p.id, { confidential: true })
    for (const other of [hidden, secret, two]) await link(p.owner, one, other, 'blocks')
    const seenBy = async (by: Actor) => ({
      links: (await typesIn(by, one)).length,
      count: (await by.get(one.path)).body.blocking_issues_count,
    })
    expect(await seenBy(p.owner)).toEqual({ links: 3, count: 3 })
    expect(await seenBy(p.planner)).toEqual({ links: 2, count: 2 })
    expect(await seenBy(p.guest)).toEqual({ links: 1, count: 1 })
    expect(await recordsSeenBy(p.owner, one)).toHaveLength(3)
    expect(await recordsSeenBy(p.planner, one)).toEqual([
      'marked this issue as blocking #2',
      'marked this issue as blocking #3',
    ])
    expect(await recordsSeenBy(p.guest, one)).toEqual(['marked this issue as blocking #2'])
    await p.owner.put(two.path, { state_event: 'close' })
    expect(await seenBy(p.guest)).toEqual({ links: 1, count: 0 })
  })

  test('takes three statements, however many links there are', async () => {
    const { p, one, two } = await projectWithTwo()
    const count = async () => (await w.statements(() => p.guest.get(`${one.path}/links`))).length
    await link(p.reporter, one, two)
    expect(await count()).toBe(3)
    for (let n = 0; n < 5; n += 1) await link(p.reporter, one, await open(p.reporter, p.id))
    expect(await count()).toBe(3)
  })

  test('is not there for an issue that is not', async () => {
    const p = await w.project()
    expect(await p.guest.get(`/projects/${p.id}/issues/1/links`)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
  })
})

describe('GET and DELETE /projects/:id/issues/:issue_iid/links/:issue_link_id', () => {
  test('get and take away a link by way of either issue', async () => {
    const { p, one, two } = await projectWithTwo()
    const { body } = await link(p.reporter, one, two, 'blocks')
    expect((await p.guest.get(`${two.path}/links/${body.id}`)).body).toEqual(body)
    expect(await w.statements(() => p.guest.get(`${one.path}/links/${body.id}`))).toHaveLength(2)
    expect(await p.guest.delete(`${two.path}/links/${body.id}`)).toMatchObject({
      status: 200,
      body: { id: body.id, source_issue: { id: one.id }, link_type: 'blocks' },
    })
    expect(await recordsOf(one)).toEqual(['marked this issue as blocking #2', 'removed the relation with #2'])
    expect(await recordsOf(two)).toEqual([
      'marked this issue as blocked by #1',
      'removed the relation with #1',
    ])
    expect((await p.guest.delete(`${two.path}/links/${body.id}`)).status).toBe(404)
  })

  test('know only links of the issue, to issues that the viewer may see', async () => {
    const { p, one, two } = await projectWithTwo()
    const three = await open(p.reporter, p.id)
    const secret = await open(p.planner, p.id, { confidential: true })
    const { body } = await link(p.reporter, one, two)
    const { body: hidden } = await link(p.planner, one, secret)
    for (const path of [`${three.path}/links/${body.id}`, `${one.path}/links/${hidden.id}`]) {
      expect(await p.guest.get(path)).toMatchObject({ status: 404, body: { message: '404 Not found' } })
      expect((await p.guest.delete(path)).status).toBe(404)
    }
    expect((await p.planner.get(`${one.path}/links/${hidden.id}`)).status).toBe(200)
  })

  test('take a link away for members of both projects only, and if nobody changed it', async () => {
    const { p, one } = await projectWithTwo({ visibility: 'public' })
    const q = await w.project({ visibility: 'public' })
    const there = await open(q.reporter, q.id)
    const { body } = await link(w.root, one, there)
    const path = `${one.path}/links/${body.id}`
    expect((await p.owner.delete(path)).status).toBe(403)
    expect((await q.owner.delete(path)).status).toBe(403)
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await w.root.delete(path, undefined, { headers })).status).toBe(412)
    expect((await w.root.delete(path)).status).toBe(200)
  })

  test('lose the link with one of its issues', async () => {
    const { p, one, two } = await projectWithTwo()
    await link(p.reporter, one, two)
    await p.owner.delete(two.path)
    for (const reader of [p.guest, w.root]) {
      expect((await reader.get(`${one.path}/links`)).body).toEqual([])
      expect(await recordsSeenBy(reader, one)).toEqual([])
    }
    await until(async () => expect(await recordsOf(one)).toEqual([]))
  })
})
