import { describe, expect, test } from 'vitest'
import { type Place, unique, w } from '#test/world.ts'
import { lockNode } from '#identity/namespaces/lock.ts'
import { hideSubtree } from '#identity/namespaces/tree.ts'

const by = (secret: string) => w.anonymous.with({ 'private-token': secret })

async function botOf(kind: 'project' | 'group', { id, owner }: Place, given: object = {}) {
  const { body } = await owner.post(`/${kind}s/${id}/access_tokens`, {
    name: 'robot',
    scopes: ['api'],
    ...given,
  })
  const token: { id: number; user_id: number; token: string } = body
  return { ...token, client: by(token.token) }
}

describe('the bot of a project access token', () => {
  test('does in its project what its level allows', async () => {
    const place = await w.project()
    const reporter = await botOf('project', place, { access_level: 20 })
    expect(
      (await reporter.client.post(`/projects/${place.id}/labels`, { name: 'x', color: 'red' })).status,
    ).toBe(201)
    expect((await reporter.client.put(`/projects/${place.id}`, { description: 'x' })).status).toBe(403)
    const maintainer = await botOf('project', place)
    expect((await maintainer.client.put(`/projects/${place.id}`, { description: 'x' })).status).toBe(200)
    const readOnly = await botOf('project', place, { scopes: ['read_api'] })
    expect((await readOnly.client.put(`/projects/${place.id}`, { description: 'x' })).status).toBe(403)
    expect((await maintainer.client.get(`/projects/${place.id}/access_tokens`)).status).toBe(200)
    const managed = await botOf('project', place)
    const path = `/projects/${place.id}/access_tokens/${managed.id}`
    expect((await maintainer.client.delete(path)).status).toBe(204)
  })

  test('sees no other private project, and is nothing in its group', async () => {
    const place = await w.project()
    const other = await w.project()
    const beside = await w.project({ parent: place.groupId })
    const { client } = await botOf('project', place, { access_level: 50 })
    for (const { id } of [other, beside]) expect((await client.get(`/projects/${id}`)).status).toBe(404)
    const { body } = await client.get('/projects?membership=true')
    expect(body.map(({ id }: { id: number }) => id)).toEqual([place.id])
    expect((await client.get(`/groups/${place.groupId}/access_tokens`)).status).toBe(403)
    expect((await client.put(`/groups/${place.groupId}`, { name: 'x' })).status).toBe(403)
  })

  test('makes nothing of its own: no groups, projects, tokens or impersonation', async () => {
    const place = await w.project()
    const { client, user_id } = await botOf('project', place, { access_level: 50 })
    const asked = { name: unique('x'), path: unique('x') }
    expect((await client.post('/groups', asked)).status).toBe(403)
    expect((await client.post('/projects', asked)).body).toEqual({ message: '404 Namespace Not Found' })
    expect((await client.post('/projects', { ...asked, namespace_id: place.groupId })).status).toBe(403)
    const token = { name: 'x', scopes: ['self_rotate'] }
    expect((await client.post('/user/personal_access_tokens', token)).body.message).toBe(
      '403 Forbidden - The user of a project or group access token has no other tokens',
    )
    expect((await client.post(`/users/${user_id}/personal_access_tokens`, token)).status).toBe(403)
    expect((await client.post(`/users/${place.guest.id}/impersonation_tokens`, token)).status).toBe(403)
    expect((await client.get('/personal_access_tokens')).body).toEqual([])
    expect((await client.get('/personal_access_tokens/self')).body).toMatchObject({
      user_id,
      active: true,
      expires_at: expect.any(String),
    })
    expect((await client.get('/user?sudo=root')).status).toBe(403)
    expect((await client.get('/namespaces')).status).toBe(200)
    expect((await client.get('/personal_access_tokens/self/associations')).body.projects).toHaveLength(1)
  })

  test('is not made an administrator, given a password, another token, or moved to another place', async () => {
    const [place, other] = [await w.project(), await w.project()]
    const { user_id: id } = await botOf('project', place)
    expect((await w.root.put(`/users/${id}`, { admin: true })).status).toBe(400)
    expect((await w.root.put(`/users/${id}`, { password: 'a long enough one' })).body.message).toEqual({
      password: ['is only for people'],
    })
    const token = { name: 'x', scopes: ['api'] }
    expect((await w.root.post(`/users/${id}/personal_access_tokens`, token)).status).toBe(403)
    expect((await w.root.post(`/users/${id}/impersonation_tokens`, token)).status).toBe(403)
    expect((await w.root.post(`/projects/user/${id}`, { name: unique('x') })).status).toBe(404)
    expect((await w.root.delete(`/users/${id}`)).status).toBe(403)
    const added = await other.owner.post(`/projects/${other.id}/members`, { user_id: id, access_level: 30 })
    expect([added.status, added.body.message]).toEqual([
      400,
      { user: ['is the bot of an access token, which opens one project or group'] },
    ])
    const several = { user_id: `${id},${other.stranger.id}`, access_level: 30 }
    expect((await other.owner.post(`/projects/${other.id}/members`, several)).body.status).toBe('error')
    const member = `/projects/${place.id}/members/${id}`
    expect((await place.owner.put(member, { access_level: 50 })).status).toBe(403)
    expect((await place.owner.delete(member)).body.message).toBe(
      '403 Forbidden - The membership of a bot comes and goes with its access token',
    )
    expect((await place.owner.get(member)).body.access_level).toBe(40)
  })

  test('is told from people where users are listed', async () => {
    const { user_id, client } = await botOf('project', await w.project())
    const { username } = (await client.get('/user')).body
    const found = async (query: string) =>
      (await w.root.get(`/users?username=${username}&${query}`)).body.length
    expect(await found('')).toBe(1)
    expect(await found('without_project_bots=true')).toBe(0)
    expect(await found('humans=true')).toBe(0)
    expect((await w.root.get(`/users/${user_id}`)).body).toMatchObject({
      bot: true,
      namespace_id: null,
      using_license_seat: false,
    })
    expect(
      (await w.root.put(`/users/${user_id}`, { name: 'Renamed', username: `${username}-2` })).status,
    ).toBe(200)
  })

  test('can be blocked like anybody', async () => {
    const { user_id, client } = await botOf('project', await w.project())
    await w.root.post(`/users/${user_id}/block`)
    expect((await client.get('/version')).status).toBe(403)
  })
})

describe('the bot of a group access token', () => {
  test('works in all that is below, and makes groups and projects there', async () => {
    const group = await w.group()
    const project = await w.project({ parent: group.id })
    const bot = await botOf('group', group, { access_level: 50 })
    expect((await bot.client.get(`/projects/${project.id}`)).status).toBe(200)
    const sub = await bot.client.post('/groups', { name: 'Sub', path: unique('sub'), parent_id: group.id })
    expect(sub.status).toBe(201)
    const inner = await bot.client.post('/projects', { name: unique('inner'), namespace_id: sub.body.id })
    expect(inner.status).toBe(201)
    expect((await group.owner.delete(`/groups/${group.id}/access_tokens/${bot.id}`)).status).toBe(204)
    const { body } = await group.owner.get(`/groups/${sub.body.id}/members/all`)
    expect(body.map(({ id }: { id: number }) => id)).not.toContain(bot.user_id)
    expect((await group.owner.get(`/projects/${inner.body.id}`)).body.creator_id).toBe(bot.user_id)
  })

  test('Security Manager is a level of its own there', async () => {
    const group = await w.group()
    const bot = await botOf('group', group, { access_level: 25 })
    expect((await bot.client.get(`/groups/${group.id}`)).status).toBe(200)
    expect((await bot.client.post('/projects', { name: unique('x'), namespace_id: group.id })).status).toBe(
      403,
    )
    const { body } = await group.owner.get(`/groups/${group.id}/access_tokens/${bot.id}`)
    expect(body).toMatchObject({ access_level: 25 })
  })
})

describe('when a place is deleted', () => {
  test('its tokens and those of all below end at once', async () => {
    const group = await w.group()
    const project = await w.project({ parent: group.id })
    const elsewhere = await w.project()
    const [ofGroup, ofProject, other] = [
      await botOf('group', group),
      await botOf('project', project),
      await botOf('project', elsewhere),
    ]
    expect((await group.owner.delete(`/groups/${group.id}`)).status).toBe(202)
    for (const { client } of [ofGroup, ofProject]) {
      expect((await client.get('/version')).status).toBe(401)
      expect((await client.get('/user')).status).toBe(401)
    }
    expect((await other.client.get('/version')).status).toBe(200)
  })

  test('what its bot wrote elsewhere stays', async () => {
    const group = await w.group()
    const [inside, doomed] = [await w.project({ visibility: 'public' }), group]
    const { user_id, client } = await botOf('group', doomed)
    expect((await client.post(`/projects/${inside.id}/star`)).status).toBe(201)
    await group.owner.delete(`/groups/${group.id}`)
    const starrers = await inside.guest.get(`/projects/${inside.id}/starrers`)
    expect(starrers.body.map(({ user }: { user: { id: number } }) => user.id)).toEqual([user_id])
  })

  test('no rotation or creation slips in meanwhile', async () => {
    const group = await w.group()
    const project = await w.project({ parent: group.id })
    const { id } = await botOf('project', project)
    const path = `/projects/${project.id}/access_tokens`
    const [answers] = await Promise.all([
      Promise.all([
        ...Array.from({ length: 5 }, () => project.owner.post(path, { name: 'late', scopes: ['api'] })),
        project.owner.post(`${path}/${id}/rotate`),
        project.owner.delete(`${path}/${id}`),
      ]),
      w.write(async (tx) => hideSubtree(tx, await lockNode(tx, group.id))),
    ])
    expect(answers.map(({ status }) => status).filter((status) => status >= 500)).toEqual([])
    const left = await w.db
      .selectFrom('access_tokens')
      .select('id')
      .where('namespace_id', '=', project.namespaceId)
      .where('revoked_at', 'is', null)
      .execute()
    expect(left).toEqual([])
  })
})
