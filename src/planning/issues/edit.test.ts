import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { addMilestone, factsOf } from './test-support.ts'

/** A project with an issue by its reporter, and a sender of changes. */
async function opened(given: object = {}) {
  const p = await w.project()
  const { body } = await p.reporter.post(`/projects/${p.id}/issues`, { title: 'It breaks', ...given })
  const url = `/projects/${p.id}/issues/${body.iid}`
  const before = await factsOf(p)
  return {
    ...p,
    url,
    id: p.id,
    edit: (changes: object, by = p.planner) => by.put(url, changes),
    look: async () => (await p.planner.get(url)).body,
    /** What was recorded since. */
    facts: async () => (await factsOf(p)).slice(before.length),
    /** The notes on it. */
    notes: async () => {
      const rows = await w.db
        .selectFrom('notes')
        .select('body')
        .where('noteable_id', '=', body.id)
        .orderBy('id')
        .execute()
      return rows.map((note) => note.body)
    },
  }
}

describe('PUT /projects/:id/issues/:issue_iid', () => {
  test('changes every field, and tells of each', async () => {
    const issue = await opened({ description: 'old', labels: 'bug', assignee_id: 0 })
    const milestone = await addMilestone(issue)
    const changes = {
      title: 'It broke',
      description: 'new',
      issue_type: 'incident',
      due_date: '2027-01-31',
      confidential: true,
      discussion_locked: true,
      weight: 8,
    }
    const { status, body } = await issue.edit({
      ...changes,
      assignee_ids: [issue.developer.id],
      labels: 'urgent',
      milestone_id: milestone,
      state_event: 'close',
    })
    expect({ status, body }).toMatchObject({
      status: 200,
      body: {
        ...changes,
        state: 'closed',
        closed_by: { id: issue.planner.id },
        labels: ['urgent'],
        milestone: { id: milestone },
        assignees: [{ id: issue.developer.id }],
        subscribed: false,
      },
    })
    expect(body.closed_at).toBe(body.updated_at)
    expect(await issue.facts()).toEqual([
      'issue retitled',
      'issue description changed',
      'issue type changed',
      'issue assignees changed',
      'issue labels changed',
      'issue milestone changed',
      'issue due date changed',
      'issue weight changed',
      'issue confidentiality changed',
      'issue lock changed',
      'issue closed',
    ])
    expect(await issue.notes()).toEqual([
      'changed title from **It breaks** to **It broke**',
      'changed the description',
      'changed type from issue to incident',
      `assigned to @${issue.developer.username}`,
      'changed due date to January 31, 2027',
      'made the issue confidential',
      'locked the discussion in this issue',
    ])
  })

  test('what stays the same is not told, and does not count as a change', async () => {
    const given = { description: 'x', labels: 'bug', due_date: '2027-01-31', weight: 1, confidential: false }
    const issue = await opened(given)
    const before = await issue.look()
    const { body } = await issue.edit({
      title: ' It breaks ',
      ...given,
      assignee_ids: [],
      state_event: 'reopen',
    })
    expect(body.updated_at).toBe(before.updated_at)
    expect(await issue.facts()).toEqual([])
  })

  test('closing twice closes once, and reopening clears who closed it', async () => {
    const issue = await opened()
    const first = (await issue.edit({ state_event: 'close' })).body
    const again = (await issue.edit({ state_event: 'close' }, issue.owner)).body
    expect(again).toMatchObject({ closed_at: first.closed_at, closed_by: { id: issue.planner.id } })
    expect((await issue.edit({ state_event: 'reopen' })).body).toMatchObject({
      state: 'opened',
      closed_at: null,
      closed_by: null,
    })
    expect(await issue.facts()).toEqual(['issue closed', 'issue reopened'])
    expect((await issue.edit({ state_event: 'shut' })).body.error).toBe(
      'state_event does not have a valid value',
    )
  })

  test('of ten who close it at once one closes it', async () => {
    const issue = await opened()
    const answers = await Promise.all(Array.from({ length: 10 }, () => issue.edit({ state_event: 'close' })))
    expect(answers.map(({ status, body }) => [status, body.state])).toEqual(
      Array.from({ length: 10 }, () => [200, 'closed']),
    )
    expect(await issue.facts()).toEqual(['issue closed'])
  })

  test.each([
    [{ labels: 'new' }, ['new']],
    [{ labels: ['b', 'a'] }, ['a', 'b']],
    [{ labels: '' }, []],
    [{ labels: [] }, []],
    [{ labels: null }, []],
    [{ add_labels: null }, ['a', 'b']],
    [{ labels: [''] }, []],
    [{ add_labels: 'b,c' }, ['a', 'b', 'c']],
    [{ add_labels: ['c', 'd'] }, ['a', 'b', 'c', 'd']],
    [{ remove_labels: 'a,unknown' }, ['b']],
    [{ remove_labels: ['a', 'b'] }, []],
    [{ add_labels: 'c', remove_labels: 'a' }, ['b', 'c']],
    [{ labels: 'x', add_labels: 'y', remove_labels: 'x' }, ['y']],
  ])('of the labels a and b, %j leaves %j', async (changes, left) => {
    const issue = await opened({ labels: 'a,b' })
    expect((await issue.edit(changes)).body.labels).toEqual(left)
  })

  test.each([
    [{ assignee_ids: [] }],
    [{ assignee_ids: '' }],
    [{ assignee_ids: null }],
    [{ assignee_ids: [0] }],
    [{ assignee_ids: 0 }],
    [{ assignee_id: 0 }],
    [{ assignee_id: '' }],
    [{ assignee_id: null }],
  ])('%j assigns it to nobody', async (changes) => {
    const issue = await opened()
    await issue.edit({ assignee_ids: [issue.developer.id] })
    expect((await issue.edit(changes)).body).toMatchObject({ assignees: [], assignee: null })
    expect((await issue.notes()).at(-1)).toBe(`unassigned @${issue.developer.username}`)
  })

  test('who leaves and who comes is told in one sentence', async () => {
    const issue = await opened()
    const { developer, guest, maintainer } = issue
    await issue.edit({ assignee_ids: [developer.id, guest.id] })
    await issue.edit({ assignee_ids: [guest.id, maintainer.id] })
    expect(await issue.notes()).toEqual([
      `assigned to @${guest.username}, @${developer.username}`,
      `assigned to @${maintainer.username} and unassigned @${developer.username}`,
    ])
  })

  test.each([
    ['milestone_id', 0],
    ['milestone_id', ''],
    ['milestone_id', null],
    ['due_date', ''],
    ['due_date', null],
    ['weight', ''],
    ['weight', null],
    ['description', ''],
  ])('%s is cleared by %j', async (name, value) => {
    const issue = await opened({ due_date: '2027-01-31', weight: 3, description: 'text' })
    await issue.edit({ milestone_id: await addMilestone(issue) })
    const { status, body } = await issue.edit({ [name]: value })
    expect({ status, cleared: body[name.replace('_id', '')] }).toEqual({ status: 200, cleared: null })
  })

  test('forms say the same as JSON', async () => {
    const issue = await opened({ labels: 'a' })
    const form = 'title=From+a+form&add_labels=b&confidential=1&weight=2&assignee_ids[]='
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await issue.planner.send('PUT', issue.url, { form, headers })).body).toMatchObject({
      title: 'From a form',
      labels: ['a', 'b'],
      confidential: true,
      weight: 2,
    })
  })

  test.each([
    [{}, /^title, state_event, description, .* are missing, at least one parameter must be provided$/],
    [{ updated_at: '2020-01-01' }, /at least one parameter must be provided$/],
    [{ title: '' }, /^title is empty$/],
    [{ title: ' ' }, /^title is empty$/],
    [{ title: 'x'.repeat(256) }, /^title is too long \(maximum is 255 characters\)$/],
    [{ weight: -1 }, /^weight does not have a valid value$/],
    [{ weight: 2_147_483_648 }, /^weight does not have a valid value$/],
    [{ due_date: 'soon' }, /^due_date is invalid$/],
    [{ issue_type: 'bug' }, /^issue_type does not have a valid value$/],
    [{ discussion_locked: 'perhaps' }, /^discussion_locked is invalid$/],
  ])('refuses %j', async (changes, error) => {
    const issue = await opened()
    const answer = await issue.edit(changes)
    expect({ status: answer.status, error: answer.body.error }).toEqual({
      status: 400,
      error: expect.stringMatching(error),
    })
  })

  test('takes an epic with the plan alone', async () => {
    const issue = await opened()
    const { status, body } = await issue.edit({ epic_id: 1 })
    expect({ status, body }).toEqual({
      status: 403,
      body: { message: '403 Forbidden - Epics needs premium' },
    })
    expect(await issue.facts()).toEqual([])
  })

  test('leaves out milestones of elsewhere and people who may not read the project', async () => {
    const issue = await opened()
    const [own, foreign] = [await addMilestone(issue), await addMilestone(await w.project())]
    const { developer, stranger } = issue
    await issue.edit({ milestone_id: own, assignee_ids: [developer.id] })
    const before = await issue.look()
    for (const changes of [
      { milestone_id: foreign },
      { assignee_ids: [stranger.id] },
      { assignee_id: 999_999_999 },
      { assignee_ids: [stranger.id, developer.id] },
    ])
      expect(await issue.edit(changes)).toMatchObject({ status: 200, body: before })
    expect(await issue.facts()).toEqual(['issue assignees changed', 'issue milestone changed'])
  })

  test('only owners and administrators say when it was changed', async () => {
    const issue = await opened()
    const change = (title: string, by = issue.owner) =>
      issue.edit({ title, updated_at: '2020-02-03T04:05:06Z' }, by)
    expect((await change('a', issue.maintainer)).body.updated_at > '2025').toBe(true)
    expect((await change('b')).body.updated_at).toBe('2020-02-03T04:05:06.000Z')
    expect((await change('c', issue.admin)).body.updated_at).toBe('2020-02-03T04:05:06.000Z')
  })

  test('is refused with 412 when somebody changed it since', async () => {
    const issue = await opened()
    const since = (moment: string) => issue.planner.with({ 'if-unmodified-since': moment })
    const old = since('Sat, 01 Jan 2022 00:00:00 GMT')
    expect((await old.put(issue.url, { title: 'x' })).body).toEqual({ message: '412 Precondition Failed' })
    expect((await since(new Date().toUTCString()).put(issue.url, { title: 'x' })).status).toBe(200)
    const owner = issue.owner.with({ 'if-unmodified-since': 'Sat, 01 Jan 2022 00:00:00 GMT' })
    expect((await owner.delete(issue.url)).status).toBe(412)
  })
})

describe('DELETE /projects/:id/issues/:issue_iid', () => {
  test('removes it with everything on it, and tells', async () => {
    const issue = await opened({ labels: 'a' })
    await issue.edit({ title: 'Renamed' })
    const answer = await issue.owner.delete(issue.url)
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect((await issue.owner.get(issue.url)).status).toBe(404)
    expect((await issue.owner.delete(issue.url)).body).toEqual({ message: '404 Not found' })
    await expect.poll(issue.notes).toEqual([])
    expect((await issue.facts()).at(-1)).toBe('issue deleted')
  })
})
