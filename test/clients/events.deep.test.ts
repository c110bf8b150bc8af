import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('people who follow what happens', () => {
  test('with @gitbeaker/rest', async () => {
    const { id, developer, guest } = await w.project()
    const api = new Gitlab({ host: w.url, token: developer.token })
    const issue = await api.Issues.create(id, 'Talk')
    await api.IssueNotes.create(id, issue.iid, 'Well.')
    await api.Issues.edit(id, issue.iid, { stateEvent: 'close' })
    const all = await api.Events.all({ projectId: id })
    expect(all.map(({ action_name }) => action_name)).toEqual(['closed', 'commented on', 'opened'])
    expect(await api.Events.all({ projectId: id, action: 'closed', targetType: 'issue' })).toMatchObject([
      { target_id: issue.id, target_title: 'Talk', author: { id: developer.id } },
    ])
    expect(await api.Events.all({ after: '2020-01-01', perPage: 2, maxPages: 1 })).toHaveLength(2)
    expect(await api.Users.allEvents(developer.id, { sort: 'asc' })).toMatchObject([
      { action_name: 'opened' },
      { note: { body: 'Well.' } },
      { action_name: 'closed' },
    ])
    const others = new Gitlab({ host: w.url, token: guest.token })
    expect(await others.Events.all()).toEqual([])
    expect(await others.Events.all({ scope: 'all' })).toHaveLength(3)
    const polled = () =>
      api.Events.all({
        projectId: id,
        pagination: 'keyset',
        orderBy: 'created_at',
        sort: 'asc',
        perPage: 2,
      })
    // Pages by keys wait for transactions that began before, also for those of other tests.
    await expect
      .poll(async () => (await polled()).map(({ id }) => id))
      .toEqual(all.map(({ id }) => id).toReversed())
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    await expectHeld('events.py', w.url, w.root.token, unique('x'))
  })
})
