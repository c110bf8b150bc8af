import { beforeAll, expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// Pages that make projects and groups.

let ada: Awaited<ReturnType<typeof signedIn>>
let group: Awaited<ReturnType<typeof w.group>>

beforeAll(async () => {
  ada = await signedIn(w)
  group = await w.group()
  await w.member(group.id, ada, 40)
})

const shown = async (path: string) => (await ada.visitor.get(path, HERE)).text

test('a project of one’s own, and one in a group', async () => {
  expect(await shown('/dashboard')).toContain('href="/projects/new"')
  expect(await shown('/explore')).toContain('href="/projects/new"')
  const name = `My ${unique('tool')}`
  const made = await submit(ada.visitor, '/projects/new', 'create', {
    name,
    path: '',
    namespace_id: '',
    visibility: 'internal',
    description: 'Two\nlines',
    initialize_with_readme: 'true',
  })
  expect(made.status).toBe(303)
  expect(made.headers.location).toMatch(`/${ada.username}/my-`)
  expect(await shown(made.headers.location ?? '')).toContain('The project is there.')
  const { body } = await ada.user.get(
    `/projects/${encodeURIComponent((made.headers.location ?? '').slice(1))}`,
  )
  expect(body).toMatchObject({ name, visibility: 'internal', description: 'Two\nlines' })
  expect(body.default_branch).toBe('main')

  const page = await shown(`/${group.fullPath}`)
  const address = /href="(\/projects\/new\?namespace_id=\d+)"/.exec(page)?.[1] ?? ''
  expect(await shown(address)).toMatch(new RegExp(`value="${group.id}" selected`))
  const fields = { name: 'Inside', path: 'inside', namespace_id: String(group.id) }
  const inside = await submit(ada.visitor, address, 'create', fields)
  expect(inside.headers.location).toBe(`/${group.fullPath}/inside`)
  const twice = await submit(ada.visitor, address, 'create', fields)
  expect(twice.status).toBe(400)
  expect(twice.text).toContain('has already been taken')
  expect(twice.text).toContain('value="Inside"')
})

test('a group, and one in it', async () => {
  expect(await shown('/dashboard/groups')).toContain('href="/groups/new"')
  const path = unique('makers')
  const made = await submit(ada.visitor, '/groups/new', 'create', {
    name: 'Makers',
    path,
    parent_id: '',
    visibility: 'public',
  })
  expect(made.headers.location).toBe(`/${path}`)
  const page = await shown(`/${path}`)
  const address = /href="(\/groups\/new\?parent_id=\d+)"/.exec(page)?.[1] ?? ''
  expect(await shown(address)).toContain('New group in Makers')
  const below = await submit(ada.visitor, address, 'create', {
    name: 'Below',
    path: 'below',
    parent_id: address.split('=')[1] ?? '',
  })
  expect(below.headers.location).toBe(`/${path}/below`)
  const named = await submit(ada.visitor, '/groups/new', 'create', { name: `Crème ${path}`, path: '' })
  expect(named.headers.location).toBe(`/creme-${path}`)
  const unnamed = await submit(ada.visitor, '/groups/new', 'create', { name: '漢字', path: '' })
  expect(unnamed.status).toBe(400)
  expect(unnamed.text).toContain('id="create-path-problem"')
  const long = await submit(ada.visitor, '/groups/new', 'create', { name: 'a'.repeat(300), path: '' })
  expect([long.status, long.text.includes('id="create-name-problem"')]).toEqual([400, true])
  expect(long.text).not.toContain('id="create-path-problem"')
  const wrong = await submit(ada.visitor, '/groups/new', 'create', { name: 'Wrong', path: '-wrong' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('cannot start with')
})

test('only those who may are offered it', async () => {
  const reader = await signedIn(w)
  await w.member(group.id, reader, 10)
  const { text } = await reader.visitor.get(`/${group.fullPath}`, HERE)
  expect(text).not.toContain('/projects/new')
  expect(text).not.toContain('/groups/new')
  const stranger = new Visitor(w.url)
  expect((await stranger.get('/explore', HERE)).text).not.toContain('/projects/new')
  expect((await stranger.get('/projects/new', HERE)).status).toBe(303)
  expect(formsIn(await shown('/groups/new'))).toEqual(['create'])
})
