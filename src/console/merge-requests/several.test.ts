import { expect, test } from 'vitest'
import { branchedProject, openMergeRequest } from '#test/merge-requests.ts'
import { csrfTokenIn, signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE } from '../test-support.ts'

test('several merge requests of a list are changed at once, and what one of them refuses is told', async () => {
  const p = await branchedProject({ visibility: 'public' })
  const [developer, reader] = await Promise.all([signedIn(w), signedIn(w)])
  await w.member(p.namespaceId, developer, 30)
  const at = `/projects/${p.id}`
  await p.owner.post(`${at}/labels`, { name: 'soon', color: '#b00' })
  await openMergeRequest(p, p.developer, { title: 'One' })
  await p.owner.post(`${at}/repository/branches`, { branch: 'topic', ref: 'feature' })
  await openMergeRequest(p, p.developer, { title: 'Two', source_branch: 'topic' })
  const list = `/${p.fullPath}/-/merge_requests`
  const page = `${list}/bulk_update`
  expect((await developer.visitor.get(list, HERE)).text).toContain(`href="${page}"`)
  const { text } = await developer.visitor.get(page, HERE)
  expect([text.includes('!1 One'), text.includes('!2 Two')]).toEqual([true, true])
  const change = (...fields: readonly (readonly [string, string])[]) =>
    developer.visitor.post(
      page,
      new URLSearchParams(
        [['authenticity_token', csrfTokenIn(text)], ['do', 'change'], ...fields].map(
          ([name = '', value = '']) => [name, value],
        ),
      ),
      HERE,
    )
  const both = [
    ['iids[]', '1'],
    ['iids[]', '2'],
  ] as const
  const done = await change(...both, ['assignee_id', String(developer.id)], ['add_labels[]', 'soon'])
  expect([done.status, done.headers.location]).toEqual([303, list])
  expect((await p.owner.get(`${at}/merge_requests?sort=asc&order_by=created_at`)).body).toMatchObject([
    { iid: 1, labels: ['soon'], assignee: { id: developer.id } },
    { iid: 2, labels: ['soon'], assignee: { id: developer.id } },
  ])
  const partly = await change(['iids[]', '2'], ['iids[]', '99'], ['state_event', 'close'])
  expect(partly.status).toBe(400)
  expect(partly.text).toContain('1 merge request is changed. Not changed: !99: ')
  expect((await p.owner.get(`${at}/merge_requests/2`)).body.state).toBe('closed')
  expect((await reader.visitor.get(page, HERE)).status).toBe(404)
  expect((await reader.visitor.get(list, HERE)).text).not.toContain('bulk_update')
})
