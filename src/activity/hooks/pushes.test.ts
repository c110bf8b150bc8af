import { expect, test } from 'vitest'
import { projectWith, withGit } from '#code/git-http/test-support.ts'
import { w } from '#test/world.ts'
import { allowReceivers, receiver, settled } from './test-support.ts'

allowReceivers()
withGit()

test('a push tells its options', async () => {
  const { project, work } = await projectWith({ 'a.txt': 'a' })
  const server = await receiver()
  await project.maintainer.post(`/projects/${project.id}/hooks`, { push_events: true, url: server.url })
  const sent = ['-o', 'ci.skip', '-o', 'ci.variable=A=1', '-o', 'merge_request.create']
  await work.run('push', '--quiet', ...sent, 'origin', 'main:b')
  await server.has(1)
  expect(server.received[0]?.body.push_options).toEqual({
    ci: { skip: true, variable: { 'A=1': 1 } },
    merge_request: { create: true },
  })
})

test('a push of more branches than push_event_hooks_limit is told to nobody but the instance, once', async () => {
  const { project, work } = await projectWith({ 'a.txt': 'a' })
  const [server, ofInstance] = [await receiver(), await receiver()]
  const wanted = { push_events: true, repository_update_events: true }
  await project.maintainer.post(`/projects/${project.id}/hooks`, { ...wanted, url: server.url })
  const { body: hook } = await w.root.post('/hooks', { ...wanted, url: ofInstance.url })
  const branches = ['b', 'c', 'd', 'e']
  const push = (...names: string[]) =>
    work.run('push', '--quiet', 'origin', ...names.map((name) => `main:${name}`))
  try {
    await push(...branches)
    await push('f', 'g', 'h')
    await server.has(3)
    await settled()
    expect(server.received).toHaveLength(3)
    expect(new Set(server.received.map(({ body }) => body.ref))).toEqual(
      new Set(['f', 'g', 'h'].map((name) => `refs/heads/${name}`)),
    )
    const mine = ofInstance.received
      .map(({ body }) => body)
      .filter(({ project_id }) => project_id === project.id)
    const updates = mine.filter(({ event_name }) => event_name === 'repository_update')
    expect(mine.filter(({ event_name }) => event_name === 'push')).toHaveLength(3)
    expect(updates).toHaveLength(2)
  } finally {
    await w.root.delete(`/hooks/${hook.id}`)
  }
})
