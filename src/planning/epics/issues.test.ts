import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import type { Place } from '#test/world.ts'
import { unique } from '#test/world.ts'
import { foldDateChanges } from './fold-date-changes.ts'
import { bodies, ids, onPremium, open, openIssue, own, withEpic } from './test-support.ts'

onPremium()

/** A group with an epic and a project in it, with the people of the group. */
async function withProject(epic: object = {}, visibility: 'private' | 'public' = 'private') {
  const p = await withEpic({ visibility }, epic)
  const project = await own.project({ parent: p.id, visibility })
  return { ...p, project, issues: `${p.path}/issues` }
}

describe('POST /groups/:id/epics/:epic_iid/issues/:issue_id', () => {
  test('puts an issue into an epic, and tells both', async () => {
    const p = await withProject()
    const issue = await openIssue(p.planner, p.project)
    const { status, body } = await p.guest.post(`${p.issues}/${issue.id}`)
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: expect.any(Number),
      epic: { id: p.epic.id, iid: 1, title: p.epic.title },
      issue: { id: issue.id, iid: issue.iid, epic_iid: 1 },
    })
    const list = await p.guest.get(p.issues)
    expect(list.body).toMatchObject([{ id: issue.id, epic_issue_id: body.id, relative_position: 1024 }])
    const shown = (await p.guest.get(`/projects/${p.project.id}/issues/${issue.iid}`)).body
    expect(shown).toMatchObject({
      epic_iid: 1,
      epic: {
        id: p.epic.id,
        iid: 1,
        title: p.epic.title,
        url: `/groups/${p.fullPath}/-/epics/1`,
        group_id: p.id,
        human_readable_end_date: null,
        human_readable_timestamp: null,
      },
    })
    expect(bodies(await p.guest.get(p.notes))).toEqual([`added issue ${p.project.fullPath}#1`])
    const notes = `/projects/${p.project.id}/issues/${issue.iid}/notes`
    expect(bodies(await p.guest.get(notes))).toEqual([`added to epic ${p.fullPath}&1`])
    const other = await open(p.planner, p)
    const moved = await p.guest.post(`${p.collection}/${other.iid}/issues/${issue.id}`)
    expect(moved.body.epic.id).toBe(other.id)
    expect((await p.guest.get(p.issues)).body).toEqual([])
    expect(bodies(await p.guest.get(p.notes))[0]).toBe(`removed issue ${p.project.fullPath}#1`)
  })

  test('needs a membership on both sides', async () => {
    const p = await withProject({}, 'public')
    const elsewhere = await own.project({ visibility: 'public' })
    const issue = await openIssue(elsewhere.planner, elsewhere)
    expect((await p.guest.post(`${p.issues}/${issue.id}`)).status).toBe(403)
    expect((await elsewhere.owner.post(`${p.issues}/${issue.id}`)).status).toBe(403)
    const hidden = await own.project()
    const secret = await openIssue(hidden.planner, hidden)
    expect((await p.guest.post(`${p.issues}/${secret.id}`)).status).toBe(404)
    expect((await p.guest.post(`${p.issues}/999999`)).status).toBe(404)
    await own.member(elsewhere.namespaceId, p.guest, 10)
    expect((await p.guest.post(`${p.issues}/${issue.id}`)).status).toBe(201)
  })

  test('takes only confidential issues into a confidential epic', async () => {
    const p = await withProject({ confidential: true })
    const [plain, secret] = [
      await openIssue(p.planner, p.project),
      await openIssue(p.planner, p.project, { confidential: true }),
    ]
    expect((await p.planner.post(`${p.issues}/${plain.id}`)).status).toBe(422)
    const all = `/projects/${p.project.id}/issues`
    const changed = await p.planner.put(`${all}/${plain.iid}`, { epic_id: p.epic.id })
    const opened = await p.planner.post(all, { title: 'Open', epic_id: p.epic.id })
    expect([changed.status, opened.status]).toEqual([422, 422])
    expect((await p.planner.post(`${p.issues}/${secret.id}`)).status).toBe(201)
    const shown = await p.planner.put(`${all}/${secret.iid}`, { confidential: false })
    expect([shown.status, shown.body.message]).toEqual([
      400,
      { confidential: ['cannot be removed from an issue of a confidential epic'] },
    ])
  })

  test('has nothing open in a confidential epic, though one makes it so while others add', async () => {
    for (let round = 0; round < 4; round += 1) {
      const p = await withProject()
      const [issue, child] = [await openIssue(p.planner, p.project), await open(p.planner, p)]
      const answers = await Promise.all([
        p.planner.post(`${p.issues}/${issue.id}`),
        p.planner.post(`${p.path}/epics/${child.id}`),
        round % 2 === 0
          ? p.planner.put(p.path, { confidential: true })
          : p.planner.post(p.notes, { body: '/confidential' }),
      ])
      expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
      const { confidential } = (await p.planner.get(p.path)).body
      const inside = [
        ...(await p.planner.get(p.issues)).body,
        ...(await p.planner.get(`${p.path}/epics`)).body,
      ]
      expect(inside.filter((one) => confidential && !one.confidential)).toEqual([])
    }
  })

  test('puts an issue into one epic, though two ask at once', async () => {
    const p = await withProject()
    const other = await open(p.planner, p)
    const issue = await openIssue(p.planner, p.project)
    const answers = await Promise.all(
      [1, other.iid].map((iid) => p.guest.post(`${p.collection}/${iid}/issues/${issue.id}`)),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    const lists = await Promise.all([1, other.iid].map((iid) => p.guest.get(`${p.collection}/${iid}/issues`)))
    expect(lists.flatMap(ids)).toEqual([issue.id])
  })
})

describe('PUT and DELETE of issues of an epic', () => {
  test('order and take out', async () => {
    const p = await withProject()
    const links = []
    for (let nth = 0; nth < 3; nth += 1) {
      const issue = await openIssue(p.planner, p.project)
      links.push((await p.guest.post(`${p.issues}/${issue.id}`)).body)
    }
    const [a, b, c] = links
    const moved = await p.guest.put(`${p.issues}/${c.id}`, { move_after_id: a.id })
    expect(moved.body.map((one: { epic_issue_id: number }) => one.epic_issue_id)).toEqual([c.id, a.id, b.id])
    await p.guest.put(`${p.issues}/${c.id}`, { move_before_id: b.id })
    expect(ids(await p.guest.get(p.issues))).toEqual([a.issue.id, b.issue.id, c.issue.id])
    expect((await p.guest.put(`${p.issues}/${c.id}`, { move_before_id: 999_999 })).status).toBe(404)
    const out = await p.guest.delete(`${p.issues}/${b.id}`)
    expect([out.status, out.body.id, out.body.issue.id]).toEqual([200, b.id, b.issue.id])
    expect((await p.guest.delete(`${p.issues}/${b.id}`)).status).toBe(404)
    expect(ids(await p.guest.get(p.issues))).toEqual([a.issue.id, c.issue.id])
  })

  test('show no issue that the caller cannot see', async () => {
    const p = await withProject({}, 'public')
    const secret = await openIssue(p.planner, p.project, { confidential: true })
    await p.planner.post(`${p.issues}/${secret.id}`)
    const list = await p.stranger.get(p.issues)
    expect([list.body, list.headers.get('x-total')]).toEqual([[], '0'])
    // Nor do the notes of the epic name it.
    expect((await p.stranger.get(p.notes)).body).toEqual([])
    expect((await p.planner.get(p.notes)).body).toHaveLength(1)
  })
})

describe('the epic of an issue', () => {
  const path = (project: { id: number }, issue: { iid: number }) =>
    `/projects/${project.id}/issues/${issue.iid}`

  test('is set by epic_id and epic_iid when it is opened or changed, and removed by 0', async () => {
    const p = await withProject()
    const issue = await openIssue(p.planner, p.project, { epic_id: p.epic.id })
    expect(issue.epic.id).toBe(p.epic.id)
    const at = path(p.project, issue)
    expect((await p.planner.put(at, { epic_id: 0 })).body.epic).toBeNull()
    expect((await p.planner.put(at, { epic_iid: 1 })).body.epic.id).toBe(p.epic.id)
    expect((await p.planner.put(at, { epic_id: '' })).body.epic).toBeNull()
    expect((await p.planner.put(at, { epic_id: 999_999 })).body.message).toBe('404 Epic Not Found')
    expect((await openIssue(p.guest, p.project, { epic_id: p.epic.id })).epic.id).toBe(p.epic.id)
  })

  test('stays as it is when somebody sends it who may not plan', async () => {
    const p = await withProject({}, 'public')
    const issue = await openIssue(p.stranger, p.project, { epic_id: p.epic.id })
    expect(issue.epic).toBeNull()
    const changed = await p.stranger.put(path(p.project, issue), { epic_id: p.epic.id, title: 'New' })
    expect(changed.body).toMatchObject({ title: 'New', epic: null })
  })

  test('is shown to those who see it alone', async () => {
    const p = await withProject({}, 'public')
    const group = await own.group({ parent: p.id })
    const hidden = await open(p.planner, group)
    const issue = await openIssue(p.planner, p.project, { epic_id: hidden.id })
    expect((await p.guest.get(path(p.project, issue))).body.epic.id).toBe(hidden.id)
    expect((await p.stranger.get(path(p.project, issue))).body).toMatchObject({ epic: null, epic_iid: null })
    const list = `/projects/${p.project.id}/issues`
    expect((await p.stranger.get(`${list}?epic_id=${hidden.id}`)).body).toEqual([])
    expect(ids(await p.stranger.get(`${list}?epic_id=None`))).toEqual([issue.id])
    expect(bodies(await p.stranger.get(`${path(p.project, issue)}/notes`))).toEqual([])
  })

  test('filters lists of issues', async () => {
    const p = await withProject()
    const inEpic = await openIssue(p.planner, p.project, { epic_id: p.epic.id })
    const alone = await openIssue(p.planner, p.project)
    for (const list of [`/projects/${p.project.id}/issues`, `/groups/${p.id}/issues`]) {
      expect(ids(await p.guest.get(`${list}?epic_id=${p.epic.id}`))).toEqual([inEpic.id])
      expect(ids(await p.guest.get(`${list}?epic_id=Any`))).toEqual([inEpic.id])
      expect(ids(await p.guest.get(`${list}?epic_id=None`))).toEqual([alone.id])
    }
  })

  test('needs the plan to be set', async () => {
    const p = await withProject()
    const free = await own.another(undefined, {}, 'free')
    try {
      const answer = await fetch(
        `${free.url}/api/v4/projects/${p.project.id}/issues?title=x&epic_id=${p.epic.id}`,
        {
          method: 'POST',
          headers: p.planner.headers,
        },
      )
      expect([answer.status, await answer.json()]).toEqual([
        403,
        { message: '403 Forbidden - Epics needs premium' },
      ])
    } finally {
      await free.stop()
    }
  })
})

describe('inherited dates', () => {
  const milestone = async ({ id, planner }: Place, start_date: string, due_date: string) =>
    (await planner.post(`/groups/${id}/milestones`, { title: unique('m'), start_date, due_date })).body

  const dates = async (p: Awaited<ReturnType<typeof withProject>>, iid = p.epic.iid) => {
    const { body } = await p.planner.get(`${p.collection}/${iid}`)
    return [body.start_date, body.due_date]
  }

  /** What the program does every minute. */
  const settled = () => {
    const services = { ...own.running.services, log: pino({ level: 'silent' }) }
    return foldDateChanges.execute(
      {},
      jobContext(services, { attempt: 1, signal: new AbortController().signal }),
    )
  }

  test('come from the milestones of issues, and go up', async () => {
    const p = await withProject()
    const top = await open(p.planner, p)
    await p.guest.post(`${p.collection}/${top.iid}/epics/${p.epic.id}`)
    const [early, late] = [
      await milestone(p, '2026-01-01', '2026-02-01'),
      await milestone(p, '2026-03-01', '2026-04-01'),
    ]
    const first = await openIssue(p.planner, p.project, { milestone_id: early.id, epic_id: p.epic.id })
    await openIssue(p.planner, p.project, { milestone_id: late.id, epic_id: p.epic.id })
    for (const iid of [1, top.iid]) expect(await dates(p, iid)).toEqual(['2026-01-01', '2026-04-01'])
    const detail = (await p.planner.get(p.path)).body
    expect(detail).toMatchObject({
      start_date_is_fixed: false,
      start_date_from_inherited_source: '2026-01-01',
      start_date_from_milestones: '2026-01-01',
      due_date_from_inherited_source: '2026-04-01',
    })
    await p.planner.put(p.path, { start_date_is_fixed: true, start_date_fixed: '2025-05-05' })
    for (const iid of [1, top.iid]) expect(await dates(p, iid)).toEqual(['2025-05-05', '2026-04-01'])
    await p.planner.put(p.path, { start_date_is_fixed: false })
    await p.planner.put(`/projects/${p.project.id}/issues/${first.iid}`, { epic_id: 0 })
    for (const iid of [1, top.iid]) expect(await dates(p, iid)).toEqual(['2026-03-01', '2026-04-01'])
    await p.guest.delete(`${p.collection}/${top.iid}/epics/${p.epic.id}`)
    expect(await dates(p, top.iid)).toEqual([null, null])
  })

  test('follow milestones that change, are given, and go', async () => {
    const p = await withProject()
    const m = await milestone(p, '2026-01-01', '2026-02-01')
    const issue = await openIssue(p.planner, p.project, { epic_id: p.epic.id })
    expect(await dates(p)).toEqual([null, null])
    await p.planner.put(`/projects/${p.project.id}/issues/${issue.iid}`, { milestone_id: m.id })
    await settled()
    expect(await dates(p)).toEqual(['2026-01-01', '2026-02-01'])
    await p.planner.put(`/groups/${p.id}/milestones/${m.id}`, { due_date: '2026-09-09' })
    await settled()
    expect(await dates(p)).toEqual(['2026-01-01', '2026-09-09'])
    await p.planner.delete(`/groups/${p.id}/milestones/${m.id}`)
    await settled()
    expect(await dates(p)).toEqual([null, null])
  })
})
