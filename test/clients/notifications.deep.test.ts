import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

describe('@gitbeaker/rest', () => {
  test('keeps notification settings everywhere, in groups and in projects', async () => {
    const p = await w.project()
    const settings = new Gitlab({ host: w.url, token: p.guest.token }).NotificationSettings
    expect(await settings.show()).toMatchObject({ level: 'participating' })
    expect(await settings.edit({ level: 'watch' })).toMatchObject({ level: 'watch' })
    for (const place of [{ projectId: p.id }, { groupId: p.groupId }]) {
      if ('groupId' in place) await w.memberAtLeast(p.groupId, p.guest, 10)
      expect(await settings.show(place)).toEqual({ level: 'global' })
      const chosen = await settings.edit({ ...place, level: 'custom', newNote: true })
      expect(chosen).toMatchObject({ level: 'custom', events: { new_note: true, new_issue: null } })
      expect(await settings.show(place)).toEqual(chosen)
    }
  })

  test('keeps to-dos', async () => {
    const p = await w.project()
    const todos = new Gitlab({ host: w.url, token: p.guest.token }).TodoLists
    for (const title of ['One', 'Two']) {
      await p.owner.post(`/projects/${p.id}/issues`, { title })
    }
    for (const iid of [1, 2]) await p.guest.post(`/projects/${p.id}/issues/${iid}/todo`)
    const [two, one] = await todos.all({ projectId: p.id })
    expect([one, two]).toMatchObject([
      { target: { title: 'One' }, state: 'pending' },
      { target: { title: 'Two' }, action_name: 'marked' },
    ])
    expect(await todos.done({ todoId: Number(one?.id) })).toMatchObject({ state: 'done' })
    expect(await todos.all()).toHaveLength(1)
    await todos.done()
    expect(await todos.all()).toEqual([])
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps notification settings and to-dos', { timeout: 180_000 }, async () => {
    await expectHeld('notifications.py', w.url, w.root.token, unique('x'))
  })
})
