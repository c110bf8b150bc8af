import { expect, test } from 'vitest'
import { w } from '#test/world.ts'

test('abilities are those of the role, and of the state of the project', async () => {
  const project = await w.project({ visibility: 'public' })
  const path = `/projects/${project.id}/abilities`
  const namesFor = async (user: Pick<typeof w.root, 'get'>) => (await user.get(path)).body
  const planner = await w.user()
  await w.member(project.namespaceId, planner, 15)
  expect(await namesFor(planner)).toContain('admin_issue')
  expect(await namesFor(planner)).not.toContain('delete_issue')
  const stranger = await w.user()
  expect(await namesFor(stranger)).toContain('create_issue')
  expect(await namesFor(stranger)).not.toContain('admin_issue')
  expect(await namesFor(w.anonymous)).toContain('read_project')
  expect(await namesFor(w.anonymous)).not.toContain('create_issue')
  for (const user of [planner, stranger, w.anonymous]) {
    const { body } = await user.get(`/projects/${project.id}?with_abilities=true`)
    expect(body.abilities).toEqual(await namesFor(user))
    expect((await user.get(`/projects/${project.id}`)).body).not.toHaveProperty('abilities')
  }
  await project.owner.post(`/projects/${project.id}/archive`)
  expect(await namesFor(planner)).not.toContain('admin_issue')
})

test('a group has its own', async () => {
  const group = await w.group()
  const { body } = await w.root.get(`/groups/${group.id}/abilities`)
  expect(body).toContain('read_group')
  expect(body).not.toContain('read_project')
  expect((await w.anonymous.get(`/groups/${group.id}/abilities`)).status).toBe(404)
})
