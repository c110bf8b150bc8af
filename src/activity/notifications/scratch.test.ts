import { expect, test } from 'vitest'
import { unique, w } from '../../../test/world.ts'
import { mailsOf, todosOf } from './test-support.ts'

test('a note is told', async () => {
  const p = await w.project()
  const { body: issue } = await p.owner.post(`/projects/${p.id}/issues`, { title: unique('It breaks'), assignee_ids: [p.guest.id] })
  await p.planner.post(`/projects/${p.id}/issues/${issue.iid}/notes`, { body: `@${p.developer.username} look <b>here</b>` })
  const owner = await mailsOf(p.owner)
  console.log(JSON.stringify(owner, null, 1))
  console.log((await mailsOf(p.guest)).map((m) => m.subject), (await mailsOf(p.developer)).map((m) => m.subject))
  console.log(await todosOf(p.guest), await todosOf(p.developer))
  expect(owner).toHaveLength(1)
})
