import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('@gitbeaker/rest', () => {
  const projectWith = async (titles: readonly string[]) => {
    const api = new Gitlab({ host: w.url, token: w.root.token })
    const { id } = await api.Projects.create({ name: unique('Related') })
    const issues = []
    for (const title of titles) issues.push(await api.Issues.create(id, title))
    return { api, id, iids: issues.map(({ iid }) => iid), ids: issues.map((issue) => issue.id) }
  }

  test('links issues', async () => {
    const { api, id, ids } = await projectWith(['one', 'two', 'three'])
    const made = await api.IssueLinks.create(id, 1, id, 2)
    expect(made).toMatchObject({
      link_type: 'relates_to',
      source_issue: { iid: 1 },
      target_issue: { iid: 2 },
    })
    await api.IssueLinks.create(id, 1, id, 3, { linkType: 'is_blocked_by' })
    const links = await api.IssueLinks.all(id, 1)
    expect(links.map((link) => [link.id, link.link_type])).toEqual([
      [ids[1], 'relates_to'],
      [ids[2], 'is_blocked_by'],
    ])
    expect(await api.IssueLinks.remove(id, 1, links[0]?.issue_link_id ?? 0)).toMatchObject({
      target_issue: { iid: 2 },
    })
    expect(await api.IssueLinks.all(id, 1)).toHaveLength(1)
    await expect(api.IssueLinks.create(id, 3, id, 1)).rejects.toMatchObject({
      cause: { description: 'Issue(s) already assigned', response: { status: 409 } },
    })
  })

  test('tracks time', async () => {
    const { api, id } = await projectWith(['one'])
    expect(await api.Issues.addTimeEstimate(id, 1, '3h30m')).toMatchObject({ human_time_estimate: '3h 30m' })
    await api.Issues.addSpentTime(id, 1, '1h', { summary: 'Looked into it' })
    expect(await api.Issues.addSpentTime(id, 1, '-15m')).toMatchObject({ total_time_spent: 2_700 })
    expect(await api.Issues.showTimeStats(id, 1)).toEqual({
      time_estimate: 12_600,
      total_time_spent: 2_700,
      human_time_estimate: '3h 30m',
      human_total_time_spent: '45m',
    })
    await api.Issues.resetTimeEstimate(id, 1)
    expect(await api.Issues.resetSpentTime(id, 1)).toMatchObject({ time_estimate: 0, total_time_spent: 0 })
  })

  test('orders, moves and clones issues', async () => {
    const { api, id, ids } = await projectWith(['one', 'two'])
    const { id: there } = await api.Projects.create({ name: unique('There') })
    expect(await api.Issues.reorder(id, 2, { moveAfterId: ids[0] ?? 0 })).toMatchObject({ iid: 2 })
    const moved = await api.Issues.move(id, 1, there)
    expect(moved).toMatchObject({ iid: 1, project_id: there, title: 'one' })
    expect(await api.Issues.show(1, { projectId: id })).toMatchObject({
      state: 'closed',
      moved_to_id: moved.id,
    })
    const cloned = await api.Issues.clone(id, 2, there, { withNotes: true })
    expect(cloned).toMatchObject({ iid: 2, project_id: there, title: 'two', state: 'opened' })
    await expect(api.Issues.move(id, 1, there)).rejects.toMatchObject({
      cause: { response: { status: 400 } },
    })
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('links, times, orders and moves issues', { timeout: 180_000 }, async () => {
    await expectHeld('issue-relations.py', w.url, w.root.token, unique('x'))
  })
})
