import { expect, test } from 'vitest'
import { signedIn } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { HERE, submit } from '../test-support.ts'

test('developers make, change and delete releases', async () => {
  const project = await w.project({ visibility: 'public' })
  const { visitor, ...developer } = await signedIn(w)
  await w.member(project.namespaceId, developer, 30)
  const at = `/projects/${project.id}`
  const actions = [{ action: 'create', file_path: 'a.txt', content: 'x' }]
  await project.owner.post(`${at}/repository/commits`, { branch: 'main', commit_message: 'Begin', actions })
  const page = `/${project.fullPath}/-/releases`
  expect((await visitor.get(page, HERE)).text).toContain(`href="${page}/new"`)
  const made = await submit(visitor, `${page}/new`, 'make', {
    tag_name: 'v1.0',
    ref: 'main',
    name: '',
    description: 'New',
  })
  expect(made.headers.location).toBe(`${page}/v1.0`)
  expect((await visitor.get(`${page}/v1.0`, HERE)).text).toContain(`href="${page}/v1.0/edit"`)
  await submit(visitor, `${page}/v1.0/edit`, 'save', { name: 'First', description: 'Newer' })
  expect((await w.root.get(`${at}/releases/v1.0`)).body).toMatchObject({
    name: 'First',
    description: 'Newer',
  })
  const again = await submit(visitor, `${page}/new`, 'make', { tag_name: 'v1.0', ref: 'main' })
  expect([again.status, again.text.includes('already exists')]).toEqual([409, true])
  await submit(visitor, `${page}/v1.0/edit`, 'delete')
  expect((await w.root.get(`${at}/releases`)).body).toEqual([])
  const reader = await signedIn(w)
  expect((await reader.visitor.get(page, HERE)).text).not.toContain(`${page}/new`)
})
