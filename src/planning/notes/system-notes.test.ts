import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { w } from '#test/world.ts'

/** A project with an issue by its owner. */
async function opened(issue: object = {}) {
  const place = await w.project()
  const { body } = await place.owner.post(`/projects/${place.id}/issues`, { title: 'First', ...issue })
  return { ...place, issue: `/projects/${place.id}/issues/${body.iid}`, issueId: body.id }
}

interface Read {
  readonly body: string
  readonly system: boolean
  readonly author: { readonly username: string }
}

/** The records on an issue, oldest first. */
async function records(by: Client, issue: string): Promise<string[]> {
  const { body } = await by.get(`${issue}/notes?sort=asc&activity_filter=only_activity`)
  return body.map((note: Read) => note.body)
}

describe('a change of an issue leaves a note', () => {
  test('of its title, by whoever changed it', async () => {
    const { issue, planner } = await opened()
    await planner.put(issue, { title: 'Second' })
    const { body } = await planner.get(`${issue}/notes`)
    expect(body).toMatchObject([
      {
        body: 'changed title from **First** to **Second**',
        system: true,
        author: { username: planner.username },
      },
    ])
  })

  test('of its description', async () => {
    const { issue, planner } = await opened()
    await planner.put(issue, { description: 'More' })
    expect(await records(planner, issue)).toEqual(['changed the description'])
  })

  test('of its assignees, by name', async () => {
    const { issue, planner, developer, reporter } = await opened()
    await planner.put(issue, { assignee_ids: [developer.id] })
    await planner.put(issue, { assignee_ids: [reporter.id] })
    await planner.put(issue, { assignee_ids: [] })
    expect(await records(planner, issue)).toEqual([
      `assigned to @${developer.username}`,
      `assigned to @${reporter.username} and unassigned @${developer.username}`,
      `unassigned @${reporter.username}`,
    ])
  })

  test('of its confidentiality and its lock', async () => {
    const { issue, planner } = await opened()
    await planner.put(issue, { confidential: true })
    await planner.put(issue, { confidential: false })
    await planner.put(issue, { discussion_locked: true })
    await planner.put(issue, { discussion_locked: false })
    expect(await records(planner, issue)).toEqual([
      'made the issue confidential',
      'made the issue visible to everyone',
      'locked the discussion in this issue',
      'unlocked the discussion in this issue',
    ])
  })

  test('of its due date', async () => {
    const { issue, planner } = await opened()
    await planner.put(issue, { due_date: '2026-12-24' })
    await planner.put(issue, { due_date: '' })
    expect(await records(planner, issue)).toEqual([
      'changed due date to December 24, 2026',
      'removed due date',
    ])
  })

  test('of several things at once in as many notes', async () => {
    const { issue, planner } = await opened()
    await planner.put(issue, { title: 'Second', description: 'More', due_date: '2026-12-24' })
    expect(await records(planner, issue)).toHaveLength(3)
  })
})

describe('no note comes', () => {
  test('of state, labels, milestone and weight, which have lists of their own', async () => {
    const { id, issue, planner } = await opened()
    const { body: milestone } = await planner.post(`/projects/${id}/milestones`, { title: '1.0' })
    const change = { labels: 'bug', milestone_id: milestone.id, weight: 3, state_event: 'close' }
    expect((await planner.put(issue, change)).status).toBe(200)
    expect(await records(planner, issue)).toEqual([])
  })

  test('of a change to what it was already', async () => {
    const { issue, planner } = await opened({ description: 'Text' })
    await planner.put(issue, { title: 'First', description: 'Text', confidential: false, due_date: '' })
    expect(await records(planner, issue)).toEqual([])
  })

  test('of a change that is refused', async () => {
    const { issue, planner } = await opened()
    expect((await planner.put(issue, { title: 'Second', epic_id: 1 })).status).toBe(403)
    expect(await records(planner, issue)).toEqual([])
  })
})
