import { expect, test } from 'vitest'
import { w } from '#test/world.ts'
import { deployToken } from '../packages/test-support.ts'
import { Registry, withImages } from './test-support.ts'

test('a deploy token pushes no image to a project whose group is archived, and pulls those that are there', async () => {
  const group = await w.group()
  const { project, name, developer } = await withImages(w, { parent: group.id })
  await developer.image(name, 'v1')
  const { username, token } = await deployToken(project, 'project', 'write_registry')
  const machine = new Registry(token, username)
  expect((await machine.ask(`${name}/blobs/uploads/`, { method: 'POST' })).status).toBe(202)
  expect((await group.owner.post(`/groups/${group.id}/archive`)).status).toBe(201)
  const push = await machine.ask(`${name}/blobs/uploads/`, { method: 'POST' })
  expect([push.status, push.code]).toEqual([403, 'DENIED'])
  expect((await machine.ask(`${name}/manifests/v1`)).status).toBe(200)
})
