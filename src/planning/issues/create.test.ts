import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { addMilestone, factsOf, setIssuesLevel } from './test-support.ts'

/** A project, and a sender of new issues. */
async function project(...options: Parameters<typeof w.project>) {
  const p = await w.project(...options)
  const url = `/projects/${p.id}/issues`
  return {
    ...p,
    url,
    open: (given: object, by = p.reporter) => by.post(url, { title: 'It breaks', ...given }),
  }
}

describe('POST /projects/:id/issues', () => {
  test('opens an issue with every field of the resource', async () => {
    const p = await project()
    const milestone = await addMilestone(p, { title: 'v1', due_date: '2020-01-01' })
    const { status, body } = await p.open({
      description: '- [x] one\n- [ ] two',
      labels: 'urgent,bug',
      assignee_ids: [p.developer.id],
      milestone_id: milestone,
      due_date: '2026-12-01',
      confidential: true,
      discussion_locked: true,
      issue_type: 'incident',
      weight: 3,
    })
    const { id, iid, author, milestone: shown, created_at, ...rest } = body
    expect({ status, iid, author: author.id }).toEqual({ status: 201, iid: 1, author: p.reporter.id })
    expect(shown).toMatchObject({ id: milestone, title: 'v1', project_id: p.id, expired: true })
    const self = `${w.url}/api/v4/projects/${p.id}/issues/1`
    expect(rest).toEqual({
      project_id: p.id,
      title: 'It breaks',
      description: '- [x] one\n- [ ] two',
      state: 'opened',
      updated_at: created_at,
      closed_at: null,
      closed_by: null,
      labels: ['bug', 'urgent'],
      assignees: [expect.objectContaining({ username: p.developer.username })],
      assignee: expect.objectContaining({ username: p.developer.username }),
      type: 'INCIDENT',
      issue_type: 'incident',
      user_notes_count: 0,
      merge_requests_count: 0,
      upvotes: 0,
      downvotes: 0,
      due_date: '2026-12-01',
      confidential: true,
      discussion_locked: true,
      web_url: `${w.url}/${p.fullPath}/-/issues/1`,
      time_stats: {
        time_estimate: 0,
        total_time_spent: 0,
        human_time_estimate: null,
        human_total_time_spent: null,
      },
      task_completion_status: { count: 2, completed_count: 1 },
      has_tasks: true,
      task_status: '1 of 2 checklist items completed',
      weight: 3,
      blocking_issues_count: 0,
      _links: {
        self,
        notes: `${self}/notes`,
        award_emoji: `${self}/award_emoji`,
        project: `${w.url}/api/v4/projects/${p.id}`,
        closed_as_duplicate_of: null,
      },
      references: { short: '#1', relative: '#1', full: `${p.fullPath}#1` },
      severity: 'UNKNOWN',
      subscribed: true,
      moved_to_id: null,
      imported: false,
      imported_from: 'none',
      service_desk_reply_to: null,
      epic_iid: null,
      epic: null,
      iteration: null,
      health_status: null,
    })
    expect((await p.planner.get(`${p.url}/1`)).body).toMatchObject({ id, subscribed: false })
    expect(await factsOf(p)).toEqual([
      'issue created',
      'issue assignees changed',
      'issue labels changed',
      'issue milestone changed',
      'issue weight changed',
    ])
    expect((await p.planner.get(`${p.url}/1/notes`)).body).toMatchObject([
      { body: `assigned to @${p.developer.username}`, system: true, author: { id: p.reporter.id } },
    ])
  })

  test('needs a title that says something in at most 255 characters', async () => {
    const p = await project()
    expect((await p.reporter.post(p.url, {})).body).toEqual({
      message: '400 (Bad request) "title" not given',
      error: 'title is missing',
    })
    for (const [title, text] of [
      ['', 'is empty'],
      [' \n', 'is empty'],
      ['x'.repeat(256), 'is too long (maximum is 255 characters)'],
    ]) {
      const { status, body } = await p.open({ title })
      expect({ status, body }).toEqual({
        status: 400,
        body: { message: { title: [text] }, error: `title ${text}` },
      })
    }
    expect((await p.open({ title: `  ${'🐛'.repeat(250)} ` })).body.title).toBe('🐛'.repeat(250))
  })

  test.each([
    [{ issue_type: 'epic' }, 'issue_type does not have a valid value'],
    [{ weight: -1 }, 'weight does not have a valid value'],
    [{ weight: 'heavy' }, 'weight is invalid'],
    [{ due_date: '2026-02-30' }, 'due_date is invalid'],
    [{ confidential: 'maybe' }, 'confidential is invalid'],
    [{ assignee_ids: ['x'] }, 'assignee_ids is invalid'],
  ])('refuses %j', async (given, error) => {
    const p = await project()
    const answer = await p.open(given, p.owner)
    expect({ status: answer.status, error: answer.body.error }).toEqual({ status: 400, error })
  })

  test('refuses more labels than an issue may have, at once and little by little', async () => {
    const p = await project()
    const names = Array.from({ length: 100 }, (_, n) => `label-${n}`)
    const refused = async (given: object) => (await p.open(given, p.planner)).body.error
    expect(await refused({ labels: [...names, 'x'] })).toBe('labels has too many elements (maximum is 100)')
    expect(await refused({ labels: [...names, 'x'].join(',') })).toBe(
      'labels has too many elements (maximum is 100)',
    )
    const { status, body } = await p.open({ labels: names }, p.planner)
    expect([status, body.labels.length]).toEqual([201, 100])
    const more = await p.planner.put(`${p.url}/${body.iid}`, { add_labels: 'x' })
    expect([more.status, more.body]).toEqual([
      400,
      { message: { labels: ['are too many (maximum is 100)'] } },
    ])
    const instead = { add_labels: 'x', remove_labels: 'label-0' }
    expect((await p.planner.put(`${p.url}/${body.iid}`, instead)).body.labels).toHaveLength(100)
    expect(
      (await p.planner.put(`${p.url}/${body.iid}`, { labels: names.slice(1) })).body.labels,
    ).toHaveLength(99)
  })

  test('refuses what is too long', async () => {
    const p = await project()
    const error = async (given: object) => (await p.open(given)).body.error
    expect(await error({ labels: ['x'.repeat(256)] })).toBe('labels is too long (maximum is 255 characters)')
    expect(await error({ description: 'x'.repeat(1_048_577) })).toBe(
      'description is too long (maximum is 1048576 characters)',
    )
  })

  test('of subsystems that are not there yet it takes only what asks for nothing', async () => {
    const p = await project()
    for (const given of [{ merge_request_to_resolve_discussions_of: 1 }, { discussion_to_resolve: 'abc' }])
      expect((await p.open(given)).body.message).toMatch(/there are no merge requests yet$/)
  })

  test('takes an epic with the plan alone', async () => {
    const p = await project()
    for (const name of ['epic_id', 'epic_iid']) {
      const { status, body } = await p.open({ [name]: 7 })
      expect([status, body.message]).toEqual([403, '403 Forbidden - Epics needs premium'])
    }
    expect((await p.open({ epic_id: 0, epic_iid: '' })).status).toBe(201)
  })

  test('takes labels as text with commas and as a list, and makes unknown ones', async () => {
    const p = await project()
    await w.root.post(`/groups/${p.groupId}/labels`, { name: 'ours', color: 'red' })
    for (const labels of ['new, ours', ['new', 'ours'], ['new,ours', ' '], '["ours","new"]'])
      expect((await p.open({ labels })).body.labels).toEqual(['new', 'ours'])
    expect((await p.reporter.get(`/projects/${p.id}/labels`)).body).toMatchObject([
      { name: 'new', color: '#6699cc' },
      { name: 'ours', color: '#ff0000' },
    ])
    expect((await p.open({ labels: ['ours'], add_labels: 'more' })).body.labels).toEqual(['more', 'ours'])
  })

  test('lets a guest use labels, and leaves out those that only somebody else could make', async () => {
    const p = await project()
    await p.planner.post(`/projects/${p.id}/labels`, { name: 'known', color: 'red' })
    expect((await p.open({ labels: 'known' }, p.guest)).body.labels).toEqual(['known'])
    const { status, body } = await p.open({ labels: 'known,unknown' }, p.guest)
    expect({ status, labels: body.labels }).toEqual({ status: 201, labels: ['known'] })
    expect((await p.planner.get(`/projects/${p.id}/labels`)).body).toHaveLength(1)
  })

  test('lets a stranger describe an issue of a public project, and plan nothing', async () => {
    const p = await project({ visibility: 'public' })
    await p.planner.post(`/projects/${p.id}/labels`, { name: 'known', color: 'red' })
    const said = { description: 'Every time', confidential: true, issue_type: 'incident' }
    const planned = {
      labels: 'known,unknown',
      add_labels: 'known',
      assignee_ids: [p.developer.id],
      assignee_id: p.developer.id,
      milestone_id: await addMilestone(p),
      due_date: '2026-12-01',
      weight: 3,
      discussion_locked: true,
    }
    const { status, body } = await p.open({ ...said, ...planned }, p.stranger)
    expect({ status, body }).toMatchObject({
      status: 201,
      body: {
        ...said,
        labels: [],
        assignees: [],
        milestone: null,
        due_date: null,
        weight: null,
        discussion_locked: null,
      },
    })
    expect(await factsOf(p)).toEqual(['issue created'])
    expect((await p.open(planned, p.guest)).body).toMatchObject({ labels: ['known'], weight: 3 })
  })

  test('assigns people who may read the project, once each', async () => {
    const p = await project()
    const { developer, guest, stranger } = p
    const ids = ({ body }: { body: { assignees: { id: number }[] } }) => body.assignees.map(({ id }) => id)
    expect(ids(await p.open({ assignee_ids: [guest.id, developer.id, guest.id, 0] }))).toEqual([
      guest.id,
      developer.id,
    ])
    expect(ids(await p.open({ assignee_id: developer.id }))).toEqual([developer.id])
    expect(ids(await p.open({ assignee_ids: `${developer.id},${guest.id}` }))).toHaveLength(2)
    for (const nobody of [
      { assignee_ids: [] },
      { assignee_ids: '' },
      { assignee_ids: [0] },
      { assignee_id: 0 },
    ])
      expect(ids(await p.open(nobody))).toEqual([])
    for (const id of [stranger.id, 999_999_999]) {
      expect(ids(await p.open({ assignee_ids: [developer.id, id] }))).toEqual([developer.id])
      expect(ids(await p.open({ assignee_ids: [id] }))).toEqual([])
    }
  })

  test('takes milestones of the project and of the groups above it', async () => {
    const p = await project()
    const other = await w.project()
    const ofGroup = await addMilestone({ namespaceId: p.groupId })
    expect((await p.open({ milestone_id: ofGroup })).body.milestone).toMatchObject({ group_id: p.groupId })
    for (const none of [0, '', null]) expect((await p.open({ milestone_id: none })).body.milestone).toBeNull()
    for (const milestone_id of [await addMilestone(other), 999_999_999])
      expect(await p.open({ milestone_id })).toMatchObject({ status: 201, body: { milestone: null } })
  })

  test('owners and administrators say which number and time it has; of others that is ignored', async () => {
    const p = await project()
    // As Ruby writes it, and webhooks here.
    const given = { iid: 40, created_at: '2020-02-03 04:05:06 UTC' }
    const plain = (await p.open(given, p.maintainer)).body
    expect(plain.iid).toBe(1)
    expect(plain.created_at > '2025').toBe(true)
    expect((await p.open(given, p.owner)).body).toMatchObject({
      iid: 40,
      created_at: '2020-02-03T04:05:06.000Z',
      updated_at: '2020-02-03T04:05:06.000Z',
    })
    const { status, body } = await p.open(given, p.admin)
    expect({ status, body }).toEqual({
      status: 409,
      body: { message: 'Duplicated issue' },
    })
    expect((await p.open({ iid: 7 }, p.admin)).body.iid).toBe(7)
    expect((await p.open({}, p.guest)).body.iid).toBe(41)
    expect((await p.open({ iid: 0 }, p.owner)).body.error).toBe('iid does not have a valid value')
  })

  test('is for whoever reads the project and is signed in, while it is not archived', async () => {
    const p = await project({ visibility: 'public' })
    expect((await p.stranger.post(p.url, { title: 'x' })).status).toBe(201)
    expect((await p.anonymous.post(p.url, { title: 'x' })).status).toBe(401)
    await p.owner.post(`/projects/${p.id}/archive`)
    expect((await p.open({}, p.owner)).status).toBe(403)
    const hidden = await project()
    expect((await hidden.stranger.post(hidden.url, { title: 'x' })).status).toBe(404)
  })

  test('is refused where issues are switched off, and by those they are closed to', async () => {
    const p = await project({ visibility: 'public' })
    await p.open({})
    await setIssuesLevel(p.id, 'private')
    expect((await p.open({}, p.guest)).status).toBe(201)
    expect((await p.stranger.post(p.url, { title: 'x' })).status).toBe(403)
    expect((await p.stranger.get(`${p.url}/1`)).status).toBe(403)
    expect((await p.anonymous.get(p.url)).status).toBe(401)
    await setIssuesLevel(p.id, 'disabled')
    for (const by of [p.guest, p.owner, p.admin]) {
      expect((await by.post(p.url, { title: 'x' })).status).toBe(403)
      expect((await by.get(p.url)).status).toBe(403)
      expect((await by.get(`${p.url}/1`)).status).toBe(403)
      expect((await by.put(`${p.url}/1`, { title: 'x' })).status).toBe(403)
    }
  })

  test('numbers have no gaps, however many are opened and refused at once', async () => {
    const p = await project()
    await p.open({})
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        index % 6 === 5
          ? p.open({ iid: 1 }, p.owner)
          : p.open({ labels: index % 2 === 0 ? 'one,two' : `two,label-${index}` }),
      ),
    )
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(10)
    const iids = answers.flatMap(({ status, body }) => (status === 201 ? [body.iid as number] : []))
    expect(iids.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 2))
  })

  test('numbers of what was deleted are not given out again, and each project counts by itself', async () => {
    const [p, other] = [await project(), await project()]
    await p.open({})
    await p.open({})
    await p.owner.delete(`${p.url}/2`)
    expect((await p.open({})).body.iid).toBe(3)
    expect((await other.open({})).body.iid).toBe(1)
  })

  test('labels that are made at the same time in several ways are made once', async () => {
    const p = await project()
    for (let made = 0; made < 8; made += 1) await p.open({})
    const name = unique('label')
    const answers = await Promise.all([
      ...Array.from({ length: 8 }, (_, index) =>
        p.planner.put(`${p.url}/${index + 1}`, { add_labels: name }),
      ),
      ...Array.from({ length: 8 }, () => p.open({ labels: name })),
    ])
    expect(answers.map(({ status, body }) => ({ status, labels: body.labels }))).toEqual([
      ...Array.from({ length: 8 }, () => ({ status: 200, labels: [name] })),
      ...Array.from({ length: 8 }, () => ({ status: 201, labels: [name] })),
    ])
  })
})
