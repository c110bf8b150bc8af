import { beforeAll, expect, test } from 'vitest'
import { signedIn, Visitor } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'
import { formsIn, HERE, submit } from '../test-support.ts'

// What administrators see and do in the browser.

let root: Awaited<ReturnType<typeof signedIn>>
let somebody: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  root = await signedIn(w, { admin: true })
  somebody = await signedIn(w)
})

const PAGES = [
  '',
  '/users',
  '/users/new',
  '/users/root',
  '/groups',
  '/projects',
  '/health_check',
  '/broadcast_messages',
  '/license',
  '/background_jobs',
  '/runners',
  '/repository_storages',
  '/feature_flags',
  '/audit_logs',
  '/spam_logs',
]

test.each(PAGES)('/admin%s is there for administrators alone', async (word) => {
  const page = `/admin${word}`
  expect((await root.visitor.get(page, HERE)).status).toBe(200)
  const { status, text } = await somebody.visitor.get(page, HERE)
  expect([status, text.includes('There is nothing here, or nothing that you may see.')]).toEqual([404, true])
  expect((await new Visitor(w.url).get(page, HERE)).headers.location).toContain('/users/sign_in')
})

test('the navigation leads administrators there, and nobody else', async () => {
  const link = '<a href="/admin">'
  expect((await root.visitor.get('/explore', HERE)).text).toContain(link)
  expect((await somebody.visitor.get('/explore', HERE)).text).not.toContain(link)
})

test('forms of others do nothing', async () => {
  const { text } = await somebody.visitor.get('/explore', HERE)
  const authenticity_token = /name="authenticity_token" value="([^"]*)"/.exec(text)?.[1] ?? ''
  const { user } = await signedIn(w)
  const answer = await somebody.visitor.post(`/admin/users/${user.username}`, {
    authenticity_token,
    do: 'block',
  })
  expect(answer.status).toBe(404)
  expect((await w.root.get(`/users/${user.id}`)).body.state).toBe('active')
})

test('an account is made, changed, blocked and deleted', async () => {
  const username = unique('grace')
  const fields = { name: 'Grace', username, email: `${username}@example.com`, admin: 'false' }
  const without = await submit(root.visitor, '/admin/users/new', 'create', { ...fields, password: 'short' })
  expect(without.status).toBe(400)
  expect(without.text).toContain('value="Grace"')
  const taken = { ...fields, username: root.username, force_random_password: 'true', password: '' }
  const { text } = await submit(root.visitor, '/admin/users/new', 'create', taken)
  expect(text).toMatch(/id="create-username-problem">\s*Username has already been taken\./)
  expect(text).not.toContain('role="alert"')
  const none = { reset_password: 'false', force_random_password: 'true', password: '' }
  const made = await submit(root.visitor, '/admin/users/new', 'create', { ...fields, ...none })
  expect([made.status, made.headers.location]).toEqual([303, `/admin/users/${username}`])
  const page = `/admin/users/${username}`
  const found = await root.visitor.get(`/admin/users?search=${username}`, HERE)
  expect(found.text).toContain(`<a href="${page}">`)

  const { body } = await w.root.get(`/users?username=${username}`)
  const { id } = body[0]
  const read = async () => (await w.root.get(`/users/${id}`)).body
  const changes = {
    ...fields,
    name: 'Grace Hopper',
    external: 'false',
    can_create_group: 'false',
    projects_limit: '3',
    note: 'An admiral',
  }
  const saved = await submit(root.visitor, page, 'save', changes)
  expect([saved.status, saved.headers.location]).toEqual([303, page])
  expect(await read()).toMatchObject({
    name: 'Grace Hopper',
    can_create_group: false,
    projects_limit: 3,
    note: 'An admiral',
  })
  const wrong = await submit(root.visitor, page, 'save', { ...changes, projects_limit: '-1' })
  expect(wrong.status).toBe(400)
  expect(wrong.text).toContain('does not have a valid value')

  const states = {
    block: 'blocked',
    unblock: 'active',
    ban: 'banned',
    unban: 'active',
    deactivate: 'deactivated',
  }
  for (const [does, state] of Object.entries({ ...states, activate: 'active' })) {
    expect((await submit(root.visitor, page, does)).status).toBe(303)
    expect((await read()).state).toBe(state)
  }
  expect((await submit(root.visitor, page, 'password', { password: 'a better horse battery' })).status).toBe(
    303,
  )
  expect(await new Visitor(w.url).signIn(username, 'a better horse battery')).toMatchObject({ status: 303 })

  const gone = await submit(root.visitor, page, 'delete', { hard_delete: 'false' })
  expect([gone.status, gone.headers.location]).toEqual([303, '/admin/users'])
  expect((await w.root.get(`/users/${id}`)).status).toBe(404)
})

async function waiting() {
  const user = await w.user()
  await w.db
    .updateTable('users')
    .set({ state: 'blocked_pending_approval' })
    .where('id', '=', user.id)
    .execute()
  return user
}

test('who waits is approved or rejected', async () => {
  const [one, other] = await Promise.all([waiting(), waiting()])
  expect((await submit(root.visitor, `/admin/users/${one.username}`, 'approve')).status).toBe(303)
  expect((await w.root.get(`/users/${one.id}`)).body.state).toBe('active')
  const rejected = await submit(root.visitor, `/admin/users/${other.username}`, 'reject')
  expect(rejected.headers.location).toBe('/admin/users')
  expect((await w.root.get(`/users/${other.id}`)).status).toBe(404)
})

test('whoever was here lately is not deactivated', async () => {
  const { visitor, username } = await signedIn(w)
  await visitor.get('/dashboard', HERE)
  await w.db
    .updateTable('users')
    .set({ last_activity_on: new Date().toISOString().slice(0, 10) })
    .where('username', '=', username)
    .execute()
  const { text } = await root.visitor.get(`/admin/users/${username}`, HERE)
  expect(formsIn(text)).toContain('block')
  expect(formsIn(text)).not.toContain('deactivate')
})

test('administrators are not offered to lock themselves out', async () => {
  const { text } = await root.visitor.get(`/admin/users/${root.username}`, HERE)
  expect(formsIn(text)).toEqual(['save', 'password', 'reset'])
})

test('groups and projects are found and deleted', async () => {
  const group = await w.group()
  const p = await w.project()
  for (const [page, { id, fullPath }] of [
    ['groups', group],
    ['projects', p],
  ] as const) {
    const list = `/admin/${page}?search=${fullPath.split('/').at(-1)}`
    const other = await submit(root.visitor, list, `delete/${id}`, { full_path: 'another/path' })
    expect(other.status).toBe(400)
    const gone = await submit(root.visitor, list, `delete/${id}`, { full_path: fullPath })
    expect([gone.status, (await w.root.get(`/${page}/${id}`)).status]).toEqual([303, 404])
  }
})
