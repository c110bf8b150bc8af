import { describe, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'

const by = (secret: string) => w.anonymous.with({ 'private-token': secret })

interface Made {
  readonly id: number
  readonly user_id: number
  readonly token: string
  readonly path: string
  readonly client: Client
}

const kinds = ['project', 'group'] as const
type Kind = (typeof kinds)[number]

const makers = { project: () => w.project(), group: () => w.group() }
const baseOf = (kind: Kind, { id }: { id: number }) => `/${kind}s/${id}/access_tokens`

async function made(kind: Kind, place: Place, given: object = {}, as: Actor = place.owner): Promise<Made> {
  const base = baseOf(kind, place)
  const { status, body } = await as.post(base, { name: 'robot', scopes: ['api'], ...given })
  expect([status, body.message]).toEqual([201, undefined])
  return { ...body, path: `${base}/${body.id}`, client: by(body.token) }
}

const namespaceOf = (kind: Kind, place: Place) =>
  kind === 'project' && 'namespaceId' in place ? Number(place.namespaceId) : place.id

describe.each(kinds)('POST /%ss/:id/access_tokens', (kind) => {
  test('makes a token, and a bot that is a member with its level', async () => {
    w.clock.hold('2025-03-01T12:00:00Z')
    const place = await makers[kind]()
    const { status, body } = await place.owner.post(baseOf(kind, place), {
      name: 'deployer',
      description: 'for deployments',
      scopes: ['api', 'read_repository'],
      access_level: 30,
      expires_at: '2025-06-01',
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'deployer',
      description: 'for deployments',
      scopes: ['api', 'read_repository'],
      user_id: expect.any(Number),
      access_level: 30,
      active: true,
      revoked: false,
      created_at: '2025-03-01T12:00:00.000Z',
      last_used_at: null,
      expires_at: '2025-06-01',
      resource_type: kind,
      resource_id: place.id,
      token: expect.stringMatching(/^glpat-[\w-]{27}$/),
    })
    const bot = (await by(body.token).get('/user')).body
    expect(bot).toMatchObject({
      id: body.user_id,
      name: 'deployer',
      username: expect.stringMatching(new RegExp(`^${kind}_${place.id}_bot_[0-9a-f]{32}$`)),
      email: `${bot.username}@noreply.localhost`,
      bot: true,
      can_create_group: false,
      can_create_project: false,
    })
    const member = await place.guest.get(`/${kind}s/${place.id}/members/${body.user_id}`)
    expect(member.body).toMatchObject({ name: 'deployer', access_level: 30, expires_at: '2025-06-01' })
    const seats = await place.owner.get(`/${kind}s/${place.id}/members?show_seat_info=true&per_page=100`)
    const seat = seats.body.find(({ id }: { id: number }) => id === body.user_id)
    expect(seat.is_using_seat).toBe(false)
  })

  test('gives Maintainer and the longest life unless told otherwise', async () => {
    w.clock.hold('2025-01-01T00:00:00Z')
    const place = await makers[kind]()
    const { body } = await place.owner.post(baseOf(kind, place), { name: 'x', scopes: ['api'] })
    expect(body).toMatchObject({ access_level: 40, expires_at: '2026-01-01', description: null })
  })

  test('takes all seven levels, and no other', async () => {
    const place = await makers[kind]()
    for (const access_level of [10, 15, 20, 25, 30, 40, 50]) {
      const token = await made(kind, place, { access_level })
      expect(token).toMatchObject({ access_level })
      expect((await token.client.get(`/${kind}s/${place.id}`)).status).toBe(200)
    }
    for (const access_level of [0, 5, 45, 60, 'high']) {
      const { status } = await place.owner.post(baseOf(kind, place), {
        name: 'x',
        scopes: ['api'],
        access_level,
      })
      expect([access_level, status]).toEqual([access_level, 400])
    }
  })

  test('refuses what is missing, too long, unknown or of a person', async () => {
    w.clock.hold('2025-01-01T10:00:00Z')
    const place = await makers[kind]()
    const refused = async (given: object) => {
      const { status, body } = await place.owner.post(baseOf(kind, place), {
        name: 'x',
        scopes: ['api'],
        ...given,
      })
      expect([given, status]).toEqual([given, 400])
      return body
    }
    expect((await place.owner.post(baseOf(kind, place), {})).body.error).toBe(
      'name is missing, scopes is missing',
    )
    await refused({ name: '' })
    await refused({ name: 'x'.repeat(256) })
    await refused({ description: 'x'.repeat(256) })
    expect((await refused({ scopes: [] })).message).toEqual({ scopes: ["can't be blank"] })
    expect((await refused({ scopes: ['api', 'write_registry', 'k8s_proxy'] })).message).toEqual({
      scopes: [
        'cannot contain write_registry: there is no container registry of projects yet',
        'cannot contain k8s_proxy: there are no agents of clusters yet',
      ],
    })
    for (const scope of ['everything', 'sudo', 'admin_mode', 'read_user', 'read_service_ping', 'openid'])
      await refused({ scopes: ['api', scope] })
    for (const expires_at of ['2025-01-01', '2024-12-31', '2026-01-02', '2025-02-30', 'soon'])
      await refused({ expires_at })
    expect((await place.owner.get(baseOf(kind, place))).body).toEqual([])
    expect((await made(kind, place, { description: 'x'.repeat(255) })).id).toBeGreaterThan(0)
  })

  test('takes a personal or impersonation token: anything else is 403 with the reason', async () => {
    const place = await makers[kind]()
    const asked = { name: 'x', scopes: ['api'], access_level: 10 }
    const { body } = await w.root.post(`/users/${place.owner.id}/impersonation_tokens`, {
      name: 'act',
      scopes: ['api'],
    })
    expect((await by(body.token).post(baseOf(kind, place), asked)).status).toBe(201)
    const bot = await made(kind, place, { access_level: 50 })
    const session = await w.session(place.owner)
    for (const client of [bot.client, session.client]) {
      expect(await client.post(baseOf(kind, place), asked)).toMatchObject({
        status: 403,
        body: { message: '403 Forbidden - Must be authenticated using a personal access token' },
      })
    }
  })
})

describe('who may have tokens made', () => {
  test('nobody gives a token more than they may do themselves', async () => {
    const { id, maintainer, owner } = await w.project()
    const asked = { name: 'x', scopes: ['api'], access_level: 50 }
    const refused = await maintainer.post(`/projects/${id}/access_tokens`, asked)
    expect([refused.status, refused.body]).toEqual([
      400,
      { message: { access_level: ['must not be above your own'] } },
    ])
    expect((await owner.post(`/projects/${id}/access_tokens`, asked)).status).toBe(201)
    expect((await w.root.post(`/projects/${id}/access_tokens`, asked)).status).toBe(201)
  })

  test('the bot of an external maker is external', async () => {
    const { id, namespaceId } = await w.project()
    const external = await w.user({ external: true })
    await w.member(namespaceId, external, 40)
    const { body } = await external.post(`/projects/${id}/access_tokens`, { name: 'x', scopes: ['api'] })
    const inside = await w.project({ visibility: 'internal' })
    expect((await by(body.token).get(`/projects/${inside.id}`)).status).toBe(404)
    expect((await by(body.token).get(`/projects/${id}`)).status).toBe(200)
  })
})

describe('GET /projects/:id/access_tokens', () => {
  async function withRows() {
    const place = await w.project()
    const tokens = []
    for (const name of ['Beta', 'gamma', 'alpha']) tokens.push(await made('project', place, { name }))
    const rows = [
      { created_at: '2024-01-02', expires_at: '2099-01-03', last_used_at: null },
      { created_at: '2024-01-03', expires_at: '2024-05-05', last_used_at: '2024-02-02T10:00:00Z' },
      { created_at: '2024-01-01', expires_at: '2099-01-01', last_used_at: '2024-02-03T10:00:00Z' },
    ]
    for (const [index, row] of rows.entries()) {
      await w.db
        .updateTable('access_tokens')
        .set(row)
        .where('id', '=', tokens[index]?.id ?? 0)
        .execute()
    }
    const path = `/projects/${place.id}/access_tokens`
    const found = async (query: string) => {
      const { status, body } = await place.maintainer.get(`${path}?${query}`)
      return status === 200 ? body.map(({ name }: { name: string }) => name[0]).join('') : status
    }
    return { place, tokens, path, found }
  }

  test('orders in eight ways', async () => {
    const { found } = await withRows()
    expect(await found('')).toBe('aBg')
    expect(await found('sort=created_asc')).toBe('aBg')
    expect(await found('sort=created_desc')).toBe('gBa')
    expect(await found('sort=expires_asc')).toBe('gaB')
    expect(await found('sort=expires_desc')).toBe('Bag')
    expect(await found('sort=last_used_asc')).toBe('gaB')
    expect(await found('sort=last_used_desc')).toBe('agB')
    expect(await found('sort=name_asc')).toBe('Bag')
    expect(await found('sort=name_desc')).toBe('gaB')
    expect(await found('sort=id_asc')).toBe(400)
  })

  test('filters by each parameter and by several at once', async () => {
    const { place, tokens, path, found } = await withRows()
    await place.owner.delete(`${path}/${tokens[0]?.id}`)
    expect(await found('state=active')).toBe('a')
    expect(await found('state=inactive')).toBe('Bg')
    expect(await found('revoked=true')).toBe('B')
    expect(await found('revoked=false')).toBe('ag')
    expect(await found('search=MM')).toBe('g')
    expect(await found('search=_')).toBe('')
    expect(await found('created_after=2024-01-02')).toBe('Bg')
    expect(await found('created_before=2024-01-02T00:00:00Z')).toBe('aB')
    expect(await found('expires_after=2099-01-01')).toBe('aB')
    expect(await found('expires_before=2099-01-01')).toBe('ag')
    expect(await found('last_used_after=2024-02-03')).toBe('a')
    expect(await found('last_used_before=2024-02-03')).toBe('g')
    expect(await found('state=inactive&revoked=false&created_after=2024-01-01&search=a&sort=name_desc')).toBe(
      'g',
    )
    for (const wrong of ['state=all', 'revoked=perhaps', 'expires_after=soon', 'created_before=x'])
      expect([wrong, await found(wrong)]).toEqual([wrong, 400])
  })

  test('pages, shows no secret, and costs two statements', async () => {
    const { place, tokens, path } = await withRows()
    await made('project', await w.project())
    const { body, headers, text } = await place.maintainer.get(`${path}?per_page=2&page=2`)
    expect(body).toEqual([
      expect.objectContaining({ name: 'gamma', resource_type: 'project', resource_id: place.id }),
    ])
    expect([headers.get('x-total'), headers.get('x-total-pages')]).toEqual(['3', '2'])
    for (const { token } of tokens) expect(text).not.toContain(token)
    expect((await w.statements(() => place.maintainer.get(path))).length).toBe(2)
    expect((await w.statements(() => place.maintainer.get(`${path}/${tokens[0]?.id}`))).length).toBe(2)
  })
})

describe.each(kinds)('GET and DELETE /%ss/:id/access_tokens/:token_id', (kind) => {
  test('find the tokens of that place alone', async () => {
    const [place, other] = [await makers[kind](), await makers[kind]()]
    const { id, path } = await made(kind, place)
    expect((await place.owner.get(path)).body).toMatchObject({ id, resource_id: place.id, active: true })
    expect((await place.owner.get(path)).body).not.toHaveProperty('token')
    const elsewhere = await made(kind, other)
    const missing = { status: 404, body: { message: `404 ${kind} Access Token Not Found` } }
    const personal = await w.token(place.owner)
    for (const wrong of [elsewhere.id, personal.id, 999_999_999]) {
      expect(await place.owner.get(`${baseOf(kind, place)}/${wrong}`)).toMatchObject(missing)
      expect(await w.root.delete(`${baseOf(kind, place)}/${wrong}`)).toMatchObject(missing)
    }
    expect((await place.owner.get(`${baseOf(kind, place)}/first`)).status).toBe(400)
    expect((await elsewhere.client.get('/version')).status).toBe(200)
  })

  test('revoking ends the token and the membership, and what the bot wrote stays', async () => {
    const place = await makers[kind]()
    const { id, user_id, path, client } = await made(kind, place)
    const name = unique('label')
    const label = await client.post(`/${kind}s/${place.id}/labels`, { name, color: 'red' })
    expect(label.status).toBe(201)
    expect((await place.owner.delete(path)).status).toBe(204)
    expect((await client.get('/version')).body).toMatchObject({ error: 'invalid_token' })
    expect((await place.owner.get(path)).body).toMatchObject({ revoked: true, active: false })
    expect((await place.owner.get(`/${kind}s/${place.id}/members/${user_id}`)).status).toBe(404)
    expect((await place.guest.get(`/users/${user_id}`)).body).toMatchObject({ name: 'robot', bot: true })
    expect((await place.guest.get(`/${kind}s/${place.id}/labels?search=${name}`)).body).toHaveLength(1)
    expect((await place.owner.delete(path)).status).toBe(204)
    const facts = await w.db
      .selectFrom('facts')
      .select('name')
      .where('namespace_id', '=', namespaceOf(kind, place))
      .where('target_id', '=', id)
      .where('target_type', '=', 'AccessToken')
      .orderBy('id')
      .execute()
    expect(facts.map((fact) => fact.name)).toEqual(['token created', 'token revoked'])
  })

  test('are open to a token itself by `self`, with any scope and level', async () => {
    const place = await makers[kind]()
    const { id, client } = await made(kind, place, { access_level: 10, scopes: ['self_rotate'] })
    const self = `${baseOf(kind, place)}/self`
    expect((await client.get(self)).body).toMatchObject({ id, access_level: 10, resource_type: kind })
    expect((await client.get(baseOf(kind, place))).status).toBe(403)
    const other =
      kind === 'project' ? await w.project({ visibility: 'public' }) : await w.group({ visibility: 'public' })
    expect((await client.get(`${baseOf(kind, other)}/self`)).body).toEqual({
      message: `404 ${kind} Access Token Not Found`,
    })
    expect((await client.delete(`${baseOf(kind, other)}/self`)).status).toBe(404)
    const mine = await place.owner.get(self)
    expect([mine.status, mine.body.message]).toEqual([400, `400 Bad request - not a ${kind} access token`])
    expect((await client.delete(self)).status).toBe(204)
    expect((await client.get(self)).status).toBe(401)
  })
})

test('a token of a group is none of its projects, and the other way round', async () => {
  const { id, groupId, owner } = await w.project()
  await w.member(groupId, owner, 50)
  const ofGroup = by(
    (await owner.post(`/groups/${groupId}/access_tokens`, { name: 'x', scopes: ['api'] })).body.token,
  )
  const ofProject = by(
    (await owner.post(`/projects/${id}/access_tokens`, { name: 'x', scopes: ['api'] })).body.token,
  )
  expect((await ofGroup.get(`/projects/${id}/access_tokens/self`)).status).toBe(400)
  expect((await ofGroup.post(`/projects/${id}/access_tokens/self/rotate`)).status).toBe(405)
  expect((await ofProject.get(`/groups/${groupId}/access_tokens/self`)).status).toBe(400)
  expect((await ofProject.post(`/groups/${groupId}/access_tokens/self/rotate`)).status).toBe(405)
})
