import { expect, test } from 'vitest'
import { branchedProject } from '#test/merge-requests.ts'
import { allowReceivers, receiver, settled } from './test-support.ts'

allowReceivers()

test('hooks hear of releases that are created, changed and deleted', async () => {
  const p = await branchedProject()
  const base = `/projects/${p.id}`
  const server = await receiver()
  const { body: hook } = await p.maintainer.post(`${base}/hooks`, {
    url: server.url,
    push_events: false,
    releases_events: true,
  })
  const link = { name: 'tool', url: 'https://example.org/tool', link_type: 'package' }
  const made = await p.developer.post(`${base}/releases`, {
    tag_name: 'v1/a',
    ref: 'main',
    name: 'One',
    description: 'What is new',
    assets: { links: [link] },
  })
  expect(made.status).toBe(201)
  await settled()
  const sample = await p.maintainer.post(`${base}/hooks/${hook.id}/test/releases_events`)
  expect(sample.status).toBe(201)
  const release = `${base}/releases/v1%2Fa`
  await p.developer.put(release, { name: 'Two' })
  await settled()
  await p.developer.delete(release)
  await settled()

  const { commit, assets } = made.body
  expect(server.received.map(({ headers }) => headers['x-gitlab-event'])).toEqual(
    Array(4).fill('Release Hook'),
  )
  const bodies = server.received.map(({ body }) => body)
  expect(bodies[0]).toMatchObject({
    object_kind: 'release',
    id: expect.any(Number),
    action: 'create',
    tag: 'v1/a',
    name: 'One',
    description: 'What is new',
    created_at: expect.stringMatching(/ UTC$/),
    released_at: expect.stringMatching(/ UTC$/),
    project: { id: p.id },
    url: expect.stringMatching(/\/-\/releases\/v1%2Fa$/),
    assets: { count: 5, links: [{ ...link, id: assets.links[0].id }], sources: assets.sources },
    commit: { id: commit.id, title: 'Add d', author: { name: commit.author_name } },
  })
  expect(bodies[1]).toEqual(bodies[0])
  expect(bodies[2]).toEqual({ ...bodies[0], action: 'update', name: 'Two' })
  expect(bodies[3]).toEqual({ ...bodies[2], action: 'delete' })
})
