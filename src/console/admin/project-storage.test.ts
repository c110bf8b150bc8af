import { expect, test } from 'vitest'
import { giveSample } from '#test/repositories.ts'
import { signedIn } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { HERE, submit } from '../test-support.ts'

test('an administrator moves a project to another storage, and sees how far that is', async () => {
  const project = await w.project()
  await giveSample(project)
  const { visitor } = await signedIn(w, { username: unique('ada'), admin: true })
  const page = `/${project.fullPath}/-/settings/storage`
  const first = (await visitor.get(page, HERE)).text
  expect(first).toContain('in the storage <strong>default</strong>')
  expect(first).toContain('Nothing was moved yet.')
  const wrong = await submit(visitor, page, 'move', { destination_storage_name: 'nowhere' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('id="move-destination_storage_name-problem"')
  const moved = await submit(visitor, page, 'move', { destination_storage_name: 'second' })
  expect([moved.status, moved.headers.location]).toEqual([303, page])
  const shown = (await visitor.get(page, HERE)).text
  expect(shown).toContain('from default to second')
  expect(shown).toMatch(/The move begins in the background|class="ci /)
  const [own] = (await w.root.get(`/projects/${project.id}/repository_storage_moves`)).body
  expect(own).toMatchObject({ source_storage_name: 'default', destination_storage_name: 'second' })
})

test('nobody else is told of storages', async () => {
  const project = await w.project({ visibility: 'public' })
  const { visitor, ...owner } = await signedIn(w)
  await w.member(project.namespaceId, owner, 50)
  expect((await visitor.get(`/${project.fullPath}/-/settings/storage`, HERE)).status).toBe(404)
  const { text } = await visitor.get(`/${project.fullPath}/-/settings/general`, HERE)
  expect(text).not.toContain('settings/storage')
})
