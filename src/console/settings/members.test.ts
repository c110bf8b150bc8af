import { beforeAll, expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Members of projects and groups.

let p: Awaited<ReturnType<typeof w.project>>
let group: Awaited<ReturnType<typeof w.group>>
let maintainer: Awaited<ReturnType<typeof signedIn>>
let owner: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  p = await w.project({ visibility: 'public' })
  group = await w.group({ visibility: 'public' })
  maintainer = await signedIn(w)
  await w.member(p.namespaceId, maintainer, 40)
  owner = await signedIn(w)
  await w.member(group.id, owner, 50)
})

const shown = async (who: Pick<typeof owner, 'visitor'>, path: string) =>
  (await who.visitor.get(path, HERE)).text

test('a maintainer adds, changes and removes members of a project', async () => {
  const page = `/${p.fullPath}/-/project_members`
  const ada = await signedIn(w)
  const added = await submit(maintainer.visitor, page, 'add', {
    username: `@${ada.username}`,
    access_level: '20',
    expires_at: '',
  })
  expect(added.status).toBe(303)
  const member = async () => (await p.owner.get(`/projects/${p.id}/members/${ada.id}`)).body
  expect(await member()).toMatchObject({ access_level: 20, expires_at: null })
  expect(await shown(maintainer, page)).toContain(`@${ada.username}`)
  await submit(maintainer.visitor, page, `change/${ada.id}`, { access_level: '30', expires_at: '2999-01-02' })
  expect(await member()).toMatchObject({ access_level: 30, expires_at: '2999-01-02' })
  await submit(maintainer.visitor, page, `change/${ada.id}`, { access_level: '30', expires_at: '' })
  expect(await member()).toMatchObject({ expires_at: null })
  // Maintainers make no owners.
  expect(await shown(maintainer, page)).not.toContain('<option value="50"')
  await submit(maintainer.visitor, page, `remove/${ada.id}`)
  expect((await p.owner.get(`/projects/${p.id}/members/${ada.id}`)).status).toBe(404)
  const nobody = await submit(maintainer.visitor, page, 'add', {
    username: 'no-such-one',
    access_level: '20',
  })
  expect(nobody.status).toBe(400)
  expect(nobody.text).toContain('id="add-username-problem"')
  expect(nobody.text).toContain('value="no-such-one"')
})

test('an owner does the same in a group, and members leave', async () => {
  const page = `/groups/${group.fullPath}/-/group_members`
  const ada = await signedIn(w)
  await submit(owner.visitor, page, 'add', { username: ada.username, access_level: '50' })
  expect((await owner.user.get(`/groups/${group.id}/members/${ada.id}`)).body.access_level).toBe(50)
  const left = await submit(ada.visitor, page, 'leave')
  expect(left.headers.location).toBe('/dashboard')
  expect((await owner.user.get(`/groups/${group.id}/members/${ada.id}`)).status).toBe(404)
})

test('members of the groups around are shown besides, and nobody else is offered forms', async () => {
  const page = `/${p.fullPath}/-/project_members`
  const above = await signedIn(w)
  const { body } = await p.owner.get(`/projects/${p.id}`)
  await w.member(body.namespace.id, above, 20)
  const own = await shown(maintainer, page)
  const inOtherList = 'Those of the groups around it are in the other list.'
  const child = await w.root.post('/projects', { name: 'Alone', namespace_id: body.namespace.id })
  const alone = `/${child.body.path_with_namespace}/-/project_members`
  expect(await shown(above, alone)).toContain(inOtherList)
  expect(await shown(above, `${alone}?with_inherited=true`)).toContain(`@${above.username}`)
  const all = await shown(maintainer, `${page}?with_inherited=true`)
  expect(all).toContain(`@${above.username}`)
  expect(own).not.toContain(`@${above.username}`)
  const stranger = { visitor: new Visitor(w.url) }
  expect(await shown(stranger, page)).toContain(`@${maintainer.username}`)
  expect(formsIn(await shown(stranger, page))).toEqual([])
  expect(await shown(stranger, `/${p.fullPath}`)).toContain(page)
  expect(await shown(maintainer, `${page}?search=zzzzzz`)).toContain('Nobody has such a name.')
})
