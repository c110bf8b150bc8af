import { Gitlab } from '@gitbeaker/rest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openWorld, unique, type World } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

let w: World
beforeAll(async () => void (w = await openWorld(undefined, 'premium')))
afterAll(() => w.running.stop())

describe('people who read audit events', () => {
  test('with @gitbeaker/rest', async () => {
    const { id: projectId, groupId, owner } = await w.project()
    const api = new Gitlab({ host: w.url, token: owner.token })
    for (let count = 0; count < 5; count += 1) await api.Projects.edit(projectId, { name: `Name ${count}` })
    const byKeys = await api.AuditEvents.all({
      projectId,
      pagination: 'keyset',
      orderBy: 'id',
      sort: 'desc',
      perPage: 3,
    })
    expect(byKeys.length).toBeGreaterThan(5)
    expect(byKeys[0]).toMatchObject({
      author_id: owner.id,
      entity_type: 'Project',
      event_name: 'project_name_updated',
      details: { change: 'name', from: 'Name 3', to: 'Name 4' },
    })
    expect(await api.AuditEvents.all({ projectId, perPage: 4 })).toEqual(byKeys)
    const id = byKeys[0]?.id ?? 0
    expect(await api.AuditEvents.show(id, { projectId })).toEqual(byKeys[0])

    const administrator = new Gitlab({ host: w.url, token: w.root.token })
    const about = { entityType: 'Project', entityId: projectId, createdAfter: '2020-01-01T00:00:00Z' }
    expect(await administrator.AuditEvents.all(about)).toEqual(byKeys)
    expect(await administrator.AuditEvents.show(id)).toEqual(byKeys[0])
    expect((await administrator.AuditEvents.all({ groupId }))[0]).toMatchObject({ entity_id: groupId })
    await expect(api.AuditEvents.all()).rejects.toMatchObject({ cause: { response: { status: 403 } } })
  })

  test.skipIf(!hasPythonGitlab)('with python-gitlab', { timeout: 180_000 }, async () => {
    await expectHeld('audit-events.py', w.url, w.root.token, unique('x'))
  })
})
