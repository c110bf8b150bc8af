import { describe, expect, test } from 'vitest'
import { unique, w } from '#test/world.ts'

const idsOf = (body: { id: number }[]) => body.map(({ id }) => id)

describe.each(['projects', 'groups'] as const)('%s/:id/members', (area) => {
  const make = () => (area === 'projects' ? w.project() : w.group())

  test('lists the direct members, with addresses for administrators alone', async () => {
    const { id, guest, owner, admin } = await make()
    const { body, headers } = await guest.get(`/${area}/${id}/members`)
    expect(headers.get('x-total')).toBe('7')
    expect(body[0]).toEqual({
      id: guest.id,
      username: guest.username,
      public_email: null,
      name: guest.username,
      state: 'active',
      locked: false,
      avatar_url: null,
      web_url: `${w.url}/${guest.username}`,
      access_level: 10,
      created_at: expect.stringMatching(/Z$/),
      created_by: expect.objectContaining({ username: 'root' }),
      expires_at: null,
      membership_state: 'active',
    })
    const seen = (await admin.get(`/${area}/${id}/members/${owner.id}`)).body
    expect(seen.email).toBe(`${owner.username}@example.com`)
    expect((await guest.get(`/${area}/${id}/members?show_seat_info=true`)).body[0].is_using_seat).toBe(true)
  })

  test('finds members by name and id', async () => {
    const { id, guest, owner, planner } = await make()
    const list = async (query: string, by = guest) =>
      idsOf((await by.get(`/${area}/${id}/members?${query}`)).body)
    expect(await list(`query=${owner.username}`)).toEqual([owner.id])
    expect(await list(`query=${owner.username}@example`)).toEqual([])
    expect(await list(`query=${owner.username}@example`, w.root)).toEqual([owner.id])
    expect(await list(`user_ids[]=${guest.id}&user_ids[]=${planner.id}`)).toEqual([guest.id, planner.id])
    expect(await list(`user_ids=${guest.id},${planner.id}&skip_users=${guest.id}`)).toEqual([planner.id])
    expect((await guest.get(`/${area}/${id}/members?pagination=keyset`)).status).toBe(405)
    expect((await guest.get(`/${area}/${id}/members/${w.root.id}`)).body).toEqual({
      message: '404 Not found',
    })
    expect((await guest.get(`/${area}/${id}/members/nobody`)).status).toBe(400)
  })

  test('adds one user by id or name', async () => {
    const { id, owner } = await make()
    const [one, two] = [await w.user(), await w.user()]
    const added = await owner.post(`/${area}/${id}/members`, {
      user_id: one.id,
      access_level: 30,
      expires_at: '2099-01-01T10:00:00Z',
    })
    expect(added.status).toBe(201)
    expect(added.body).toMatchObject({
      id: one.id,
      access_level: 30,
      expires_at: '2099-01-01',
      created_by: { id: owner.id },
    })
    const named = { username: two.username.toUpperCase(), access_level: '25' }
    expect((await owner.post(`/${area}/${id}/members`, named)).body).toMatchObject({
      id: two.id,
      access_level: 25,
    })
  })

  test('refuses whom it cannot add, and says why', async () => {
    const { id, owner, guest } = await make()
    const user = await w.user()
    const add = async (body: object) => {
      const answer = await owner.post(`/${area}/${id}/members`, body)
      return [answer.status, answer.body.message]
    }
    expect(await add({ user_id: guest.id, access_level: 30 })).toEqual([409, 'Member already exists'])
    expect(await add({ user_id: 999_999, access_level: 30 })).toEqual([404, '404 User Not Found'])
    expect(await add({ username: 'ghost', access_level: 30 })).toEqual([404, '404 User Not Found'])
    expect((await add({ user_id: user.id, access_level: 12 }))[0]).toBe(400)
    expect((await add({ user_id: user.id }))[1]).toBe('400 (Bad request) "access_level" not given')
    expect((await add({ access_level: 30 }))[0]).toBe(400)
    expect((await add({ user_id: user.id, username: 'x', access_level: 30 }))[0]).toBe(400)
    expect((await add({ user_id: user.id, access_level: 30, member_role_id: 1 }))[0]).toBe(400)
    expect(await add({ user_id: user.id, access_level: 30, expires_at: '2020-01-01' })).toEqual([
      400,
      { expires_at: ['cannot be a date in the past'] },
    ])
  })

  test('adds several users, and says of each who is not added why', async () => {
    const { id, owner, guest } = await make()
    const [one, two, three] = [await w.user(), await w.user(), await w.user()]
    const path = `/${area}/${id}/members`
    const all = await owner.post(path, { user_id: `${one.id},${two.id}`, access_level: 20 })
    expect([all.status, all.body]).toEqual([201, { status: 'success' }])
    const some = await owner.post(path, { user_id: [three.id, guest.id, 999_999], access_level: 20 })
    expect([some.status, some.body]).toEqual([
      201,
      { status: 'error', message: { [guest.username]: 'Member already exists', '999999': 'User not found' } },
    ])
    expect((await owner.get(`${path}/${three.id}`)).status).toBe(200)
    const many = Array.from({ length: 101 }, (_, index) => index)
    expect((await owner.post(path, { user_id: many, access_level: 20 })).status).toBe(400)
  })

  test('changes level and end', async () => {
    const { id, owner, guest } = await make()
    const path = `/${area}/${id}/members/${guest.id}`
    const changed = await owner.put(path, { access_level: 30, expires_at: '2099-01-01' })
    expect(changed.body).toMatchObject({ access_level: 30, expires_at: '2099-01-01' })
    expect((await owner.put(path, { access_level: 20 })).body.expires_at).toBe('2099-01-01')
    expect((await owner.put(path, { access_level: 20, expires_at: null })).body.expires_at).toBeNull()
    expect((await owner.put(`/${area}/${id}/members/${w.root.id}`, { access_level: 20 })).status).toBe(404)
    expect((await owner.put(path, {})).status).toBe(400)
  })

  test('takes members out; everybody may leave', async () => {
    const { id, owner, guest, planner, stranger } = await make()
    const remove = async (by: typeof owner, user: typeof owner) =>
      (await by.delete(`/${area}/${id}/members/${user.id}?unassign_issuables=true`)).status
    expect(await remove(planner, guest)).toBe(403)
    expect(await remove(stranger, guest)).toBe(404)
    expect(await remove(planner, planner)).toBe(204)
    expect((await planner.get(`/${area}/${id}`)).status).toBe(404)
    expect(await remove(owner, guest)).toBe(204)
    expect(await remove(owner, guest)).toBe(404)
  })

  test('a membership that has ended makes room for another', async () => {
    const { id, owner, stranger } = await make()
    const add = (expires_at: string) =>
      owner.post(`/${area}/${id}/members`, { user_id: stranger.id, access_level: 10, expires_at })
    w.clock.hold('2026-11-21T10:00:00Z')
    expect((await add('2026-11-21')).status).toBe(400)
    expect((await add('2026-11-23')).status).toBe(201)
    w.clock.hold('2026-11-23T10:00:00Z')
    expect((await stranger.get(`/${area}/${id}`)).status).toBe(404)
    expect((await owner.get(`/${area}/${id}/members/${stranger.id}`)).status).toBe(404)
    expect((await owner.put(`/${area}/${id}/members/${stranger.id}`, { access_level: 20 })).status).toBe(404)
    expect((await add('2026-12-01')).status).toBe(201)
  })

  test('one request takes two statements', async () => {
    const { id, guest } = await make()
    expect(await w.statements(() => guest.get(`/${area}/${id}/members`))).toHaveLength(2)
    expect(await w.statements(() => guest.get(`/${area}/${id}/members/all`))).toHaveLength(2)
    expect(await w.statements(() => guest.get(`/${area}/${id}/members/all/${guest.id}`))).toHaveLength(2)
  })
})

describe('owners', () => {
  test('a maintainer of a project gives and takes no ownership', async () => {
    const { id, maintainer, owner, guest, stranger } = await w.project()
    const path = `/projects/${id}/members`
    expect((await maintainer.post(path, { user_id: stranger.id, access_level: 50 })).status).toBe(403)
    expect((await maintainer.post(path, { user_id: stranger.id, access_level: 40 })).status).toBe(201)
    expect((await maintainer.put(`${path}/${guest.id}`, { access_level: 50 })).status).toBe(403)
    expect((await maintainer.put(`${path}/${owner.id}`, { access_level: 30 })).status).toBe(403)
    expect((await maintainer.delete(`${path}/${owner.id}`)).status).toBe(403)
    expect((await owner.put(`${path}/${guest.id}`, { access_level: 50 })).status).toBe(200)
  })

  test('a group keeps its last owner', async () => {
    const { id, owner, guest } = await w.group()
    const path = `/groups/${id}/members`
    expect((await owner.delete(`${path}/${owner.id}`)).status).toBe(403)
    expect((await w.root.delete(`${path}/${owner.id}`)).status).toBe(403)
    expect((await owner.put(`${path}/${owner.id}`, { access_level: 40 })).status).toBe(403)
    await owner.put(`${path}/${guest.id}`, { access_level: 50 })
    expect((await guest.put(`${path}/${owner.id}`, { access_level: 40 })).status).toBe(200)
    const inner = await w.group({ parent: id })
    expect((await inner.owner.delete(`/groups/${inner.id}/members/${inner.owner.id}`)).status).toBe(204)
  })

  test('of two owners who leave at once one stays, and a blocked owner is none', async () => {
    const { id, owner, guest } = await w.group()
    await owner.put(`/groups/${id}/members/${guest.id}`, { access_level: 50 })
    const left = await Promise.all([owner, guest].map((one) => one.delete(`/groups/${id}/members/${one.id}`)))
    expect(new Set(left.map(({ status }) => status))).toEqual(new Set([204, 403]))
    const other = await w.group()
    await other.owner.put(`/groups/${other.id}/members/${other.guest.id}`, { access_level: 50 })
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', other.guest.id).execute()
    expect((await other.owner.delete(`/groups/${other.id}/members/${other.owner.id}`)).status).toBe(403)
  })

  test('a personal project keeps its person', async () => {
    const user = await w.user()
    const { createProject } = await import('#tenancy/projects/create-project.ts')
    const namespace = await w.db
      .selectFrom('namespaces')
      .select('id')
      .where('owner_id', '=', user.id)
      .executeTakeFirstOrThrow()
    const name = unique('personal')
    const { id } = await w.write((tx) =>
      createProject(tx, { name, path: name, visibility: 'private', parentId: namespace.id }),
    )
    expect((await user.delete(`/projects/${id}/members/${user.id}`)).status).toBe(403)
    expect((await w.root.put(`/projects/${id}/members/${user.id}`, { access_level: 30 })).status).toBe(403)
  })
})
