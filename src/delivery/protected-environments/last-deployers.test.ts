import { expect, test } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { unique, w } from '#test/world.ts'
import { deploy, keeperOf, pathOf, protect } from './test-support.ts'

test('a group may remove everybody who may deploy, and then nobody may', async () => {
  const place = await w.group()
  const by = keeperOf(place)
  const path = pathOf('group', place, 'production')
  const body = await protect(by, pathOf('group', place), {
    name: 'production',
    deploy_access_levels: [{ access_level: 40 }, { user_id: place.owner.id }],
    approval_rules: [{ user_id: place.maintainer.id }],
  })
  const inside = await w.project({ parent: place.id })
  await giveSample(inside)
  const all = body.deploy_access_levels.map(({ id }: { id: number }) => ({ id, _destroy: true }))
  const emptied = await by.put(path, { deploy_access_levels: all })
  expect([emptied.status, emptied.body]).toEqual([200, { ...body, deploy_access_levels: [] }])
  expect((await by.get(path)).body).toEqual(emptied.body)
  expect((await deploy(by, inside, 'production')).status).toBe(403)
  const again = await by.put(path, { deploy_access_levels: [{ access_level: 40 }] })
  expect(again.body.deploy_access_levels).toMatchObject([{ access_level: 40, user_id: null }])
  expect((await deploy(by, inside, 'production')).status).toBe(201)
})

test('an environment of a project always has somebody who may deploy', async () => {
  const project = await w.project()
  const by = keeperOf(project)
  const path = pathOf('project', project)
  const name = unique('somebody')
  const refusal = [422, { message: ['Deploy access levels is too short (minimum is 1 character)'] }]
  const empty = await by.post(path, { name, deploy_access_levels: [] })
  expect([empty.status, empty.body]).toEqual(refusal)
  const body = await protect(by, path, { name, deploy_access_levels: [{ access_level: 30 }] })
  const [{ id }] = body.deploy_access_levels
  const removal = { deploy_access_levels: [{ id, _destroy: true }] }
  const removed = await by.put(`${path}/${name}`, removal)
  expect([removed.status, removed.body]).toEqual(refusal)
  expect((await by.put(`${path}/${name}`, { deploy_access_levels: [] })).body).toEqual(body)
})
