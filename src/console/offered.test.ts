import { expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { csrfTokenIn, signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE } from './test-support.ts'

test('pages with a form are for those who may send it, by their address, too', async () => {
  const p = await w.project({ visibility: 'public' })
  const at = `/projects/${p.id}`
  const actions = [{ action: 'create', file_path: 'README.md', content: 'Hello\n' }]
  const commit = { commit_message: 'Begin', actions }
  await p.owner.post(`${at}/repository/commits`, { branch: 'main', ...commit })
  const changed = [{ ...actions[0], file_path: 'b.txt' }]
  await p.owner.post(`${at}/repository/commits`, {
    branch: 'topic',
    start_branch: 'main',
    ...commit,
    actions: changed,
  })
  const { id: label } = (await p.owner.post(`${at}/labels`, { name: 'bug', color: '#f00' })).body
  const { id: board } = (await p.owner.post(`${at}/boards`, { name: 'Work' })).body
  await p.owner.post(`${at}/issues`, { title: 'Issue' })
  await p.owner.post(`${at}/merge_requests`, {
    title: 'Change',
    source_branch: 'topic',
    target_branch: 'main',
  })
  await p.owner.post(`${at}/releases`, { tag_name: 'v1', ref: 'main' })
  const reader = await signedIn(w)
  for (const page of [
    'labels/new',
    `labels/${label}/edit`,
    'milestones/new',
    `boards/${board}/edit`,
    'issues/1/edit',
    'issues/bulk_update',
    'merge_requests/1/edit',
    'releases/new',
    'releases/v1/edit',
    'environments/new',
    'pipelines/new',
    'pipeline_schedules/new',
  ]) {
    const { status } = await reader.visitor.get(`/${p.fullPath}/-/${page}`, HERE)
    expect([page, status]).toEqual([page, 404])
  }
})

test.each([
  { page: 'milestones/new', level: levels.planner, form: { do: 'make', title: 'Nearly lost' } },
  {
    page: 'settings/general',
    level: levels.maintainer,
    form: { do: 'save-general', description: 'Nearly lost' },
  },
  { page: 'hooks', level: levels.maintainer, form: { do: 'add', url: 'https://example.com/nearly-lost' } },
])('what somebody typed on $page stays when they lose the right meanwhile', async ({ page, level, form }) => {
  const p = await w.project({ visibility: 'public' })
  const ada = await signedIn(w)
  await w.member(p.namespaceId, ada, level)
  const address = `/${p.fullPath}/-/${page}`
  const { text } = await ada.visitor.get(address, HERE)
  await w.db.deleteFrom('members').where('user_id', '=', ada.id).execute()
  const refused = await ada.visitor.post(address, { ...form, authenticity_token: csrfTokenIn(text) }, HERE)
  expect([refused.status, /nearly.lost/i.test(refused.text)]).toEqual([403, true])
  expect(formsIn(refused.text)).toEqual([])
  expect((await ada.visitor.get(address, HERE)).status).toBe(404)
})
