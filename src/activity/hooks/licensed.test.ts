import { expect, test } from 'vitest'
import { unique, w } from '../../../test/world.ts'
import { allowReceivers, receiver, settled } from './test-support.ts'

allowReceivers()

test('webhooks of groups learn of nothing while no plan allows them, and of what happens once it is back', async () => {
  const place = await w.project()
  const [ofGroup, ofProject] = [await receiver(), await receiver()]
  const hook = (url: string) => ({ url, push_events: false, issues_events: true })
  const issue = async (title: string) => {
    const made = await place.developer.post(`/projects/${place.id}/issues`, { title })
    expect(made.status).toBe(201)
    await settled()
  }
  const [first, between, last] = [unique('with'), unique('without'), unique('again')]
  const added = await place.maintainer.post(`/projects/${place.id}/hooks`, hook(ofProject.url))
  expect(added.status).toBe(201)
  await w.onPlan('premium', async () => {
    expect((await w.root.post(`/groups/${place.groupId}/hooks`, hook(ofGroup.url))).status).toBe(201)
    await issue(first)
  })
  await issue(between)
  await w.onPlan('ultimate', () => issue(last))
  const titles = ({ received }: typeof ofGroup) => received.map(({ body }) => body.object_attributes.title)
  expect(titles(ofProject)).toEqual([first, between, last])
  expect(titles(ofGroup)).toEqual([first, last])
})
