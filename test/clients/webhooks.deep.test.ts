import { Gitlab } from '@gitbeaker/rest'
import { describe, expect, test } from 'vitest'
import { allowReceivers, receiver } from '#activity/hooks/test-support.ts'
import { unique, w } from '#test/world.ts'
import { expectHeld, hasPythonGitlab } from './python.ts'

allowReceivers()

const refused = (status: number) => ({ cause: { response: { status } } })

describe('@gitbeaker/rest', () => {
  test('keeps webhooks of projects and of the instance', async () => {
    const server = await receiver()
    const project = await w.project()
    const hooks = new Gitlab({ host: w.url, token: project.maintainer.token }).ProjectHooks
    const made = await hooks.add(project.id, server.url, { issuesEvents: true, pushEvents: false })
    expect(made).toMatchObject({ url: server.url, issues_events: true, push_events: false })
    expect(await hooks.all(project.id)).toEqual([made])
    expect(await hooks.show(project.id, made.id)).toEqual(made)
    const edited = await hooks.edit(project.id, made.id, server.url, { noteEvents: true })
    expect(edited).toMatchObject({ issues_events: true, note_events: true })
    const api = new Gitlab({ host: w.url, token: project.developer.token })
    await api.Issues.create(project.id, 'Told')
    expect((await server.has(1))[0]?.body.object_attributes.title).toBe('Told')
    await hooks.remove(project.id, made.id)
    await expect(hooks.show(project.id, made.id)).rejects.toMatchObject(refused(404))
    const { SystemHooks } = new Gitlab({ host: w.url, token: w.root.token })
    const system = await SystemHooks.add(server.url, { repositoryUpdateEvents: false })
    expect(await SystemHooks.test(system.id)).toMatchObject({ event_name: 'project_create' })
    await SystemHooks.remove(system.id)
    await expect(SystemHooks.show(system.id)).rejects.toMatchObject(refused(404))
  })
})

describe.skipIf(!hasPythonGitlab)('python-gitlab', () => {
  test('keeps webhooks of projects, groups and the instance', { timeout: 180_000 }, async () => {
    const server = await receiver()
    await w.onPlan('premium', async () => {
      await expectHeld('webhooks.py', w.url, w.root.token, unique('x'), server.url)
    })
  })
})
