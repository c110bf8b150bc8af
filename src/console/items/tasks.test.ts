import { expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { deadlocks } from '#test/conflicts.ts'
import { csrfTokenIn, signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE } from '../test-support.ts'

const TASKS = 6
const text = (box: string) => Array.from({ length: TASKS }, (_, index) => `- [${box}] ${index}`).join('\n')

test('of several who tick tasks of one text at once, nobody undoes what another did', async () => {
  const p = await w.project()
  const people = await Promise.all(Array.from({ length: 3 }, () => signedIn(w)))
  for (const one of people) await w.member(p.namespaceId, one, levels.maintainer)
  const issue = `/projects/${p.id}/issues/1`
  await p.owner.post(`/projects/${p.id}/issues`, { title: 'Tasks', description: text(' ') })
  const { body: note } = await p.owner.post(`${issue}/notes`, { body: text(' ') })
  const page = `/${p.fullPath}/-/issues/1`
  const tokens = await Promise.all(
    people.map(async ({ visitor }) => csrfTokenIn((await visitor.get(page, HERE)).text)),
  )
  const before = await deadlocks()
  for (const does of ['tick', `tick-note/${note.id}`]) {
    const left = new Set(Array.from({ length: TASKS }, (_, index) => index))
    // Whoever meets too many others is told to try again.
    for (let round = 0; left.size > 0 && round < TASKS; round += 1) {
      const answers = await Promise.all(
        [...left].map(async (task) => {
          const who = task % people.length
          const fields = { task: String(task), of: String(TASKS), done: 'true' }
          const form = { authenticity_token: tokens[who] ?? '', do: does, ...fields }
          return { task, status: (await people[who]?.visitor.post(page, form, HERE))?.status }
        }),
      )
      for (const { task, status } of answers) {
        expect([303, 409]).toContain(status)
        if (status === 303) left.delete(task)
      }
    }
    expect(left.size).toBe(0)
  }
  expect(await deadlocks()).toBe(before)
  expect((await p.owner.get(issue)).body.description).toBe(text('x'))
  expect((await p.owner.get(`${issue}/notes/${note.id}`)).body.body).toBe(text('x'))
})
