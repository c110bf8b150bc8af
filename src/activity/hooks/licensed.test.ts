import { afterAll, beforeAll, expect, test } from 'vitest'
import { openWorld, unique, type World } from '#test/world.ts'
import { receiver, settled } from './test-support.ts'

// In the shared world, servers of other files have plans of their own, and jobs run on any of them.
let own: World
beforeAll(async () => {
  own = await openWorld()
  await own.root.put('/application/settings', { outbound_local_requests_whitelist: ['127.0.0.1'] })
})
afterAll(() => own.running.stop())

test('webhooks of groups learn of nothing while no plan allows them, and of what happens once it is back', async () => {
  const place = await own.project()
  const [ofGroup, ofProject] = [await receiver(), await receiver()]
  const hook = (url: string) => ({ url, push_events: false, issues_events: true })
  const issue = async (title: string) => {
    const made = await place.developer.post(`/projects/${place.id}/issues`, { title })
    expect(made.status).toBe(201)
    await settled(own)
  }
  const [first, between, last] = [unique('with'), unique('without'), unique('again')]
  const added = await place.maintainer.post(`/projects/${place.id}/hooks`, hook(ofProject.url))
  expect(added.status).toBe(201)
  await own.onPlan('premium', async () => {
    expect((await own.root.post(`/groups/${place.groupId}/hooks`, hook(ofGroup.url))).status).toBe(201)
    await issue(first)
  })
  await issue(between)
  await own.onPlan('ultimate', () => issue(last))
  const titles = ({ received }: typeof ofGroup) => received.map(({ body }) => body.object_attributes.title)
  expect(titles(ofProject)).toEqual([first, between, last])
  expect(titles(ofGroup)).toEqual([first, last])
})
