import { afterAll, beforeAll, expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
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

test('once a licence has ended, payloads and automatic merges ask for as few approvals as the API does', async () => {
  const p = await branchedProject({}, own)
  const actions = [{ action: 'create', file_path: 'more.txt', content: 'more' }]
  const more = { branch: 'more', start_branch: 'main', commit_message: 'more', actions }
  expect((await p.maintainer.post(`/projects/${p.id}/repository/commits`, more)).status).toBe(201)
  const server = await receiver()
  const [now, later] = await own.onPlan('premium', async () => {
    const rule = { name: 'Wise', approvals_required: 1, user_ids: [p.maintainer.id] }
    expect((await p.owner.post(`/projects/${p.id}/approval_rules`, rule)).status).toBe(201)
    const opened = [
      await openMergeRequest(p, p.developer),
      await openMergeRequest(p, p.developer, { source_branch: 'more' }),
    ] as const
    const [{ path }, { path: waiting }] = opened
    expect((await p.maintainer.put(`${path}/merge`)).status).toBe(405)
    const wish = await p.maintainer.put(`${waiting}/merge`, { auto_merge: true })
    expect(wish.body).toMatchObject({ state: 'opened', merge_when_pipeline_succeeds: true })
    await settled(own)
    return opened
  })
  const triggers = { note_events: true, push_events: false }
  await p.maintainer.post(`/projects/${p.id}/hooks`, { ...triggers, url: server.url })
  const statusOf = async (path: string) => (await p.developer.get(path)).body.detailed_merge_status
  await expect.poll(() => statusOf(now.path)).toBe('mergeable')
  await p.developer.post(`${now.path}/notes`, { body: 'Merge it' })
  const [note] = await server.has(1)
  expect(note?.body.merge_request.detailed_merge_status).toBe(await statusOf(now.path))

  expect((await p.maintainer.put(`${now.path}/merge`)).body).toMatchObject({ state: 'merged' })
  // A change has the wish tried again.
  await p.developer.put(later.path, { title: 'More' })
  await expect.poll(async () => (await p.developer.get(later.path)).body.state).toBe('merged')
})
