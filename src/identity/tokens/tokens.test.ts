import { describe, expect, test } from 'vitest'
import { daysAfter } from '#platform/http/time.ts'
import { unique, w } from '#test/world.ts'

/** Tokens of one user, so that lists of administrators can be told apart. */
async function userWithTokens(count: number) {
  const user = await w.user()
  for (let made = 0; made < count; made += 1) {
    await w.root.post(`/users/${user.id}/personal_access_tokens`, {
      name: `token ${made}`,
      scopes: ['read_api'],
    })
  }
  return user
}

const names = (body: { name: string }[]) => body.map(({ name }) => name)

describe('GET /personal_access_tokens', () => {
  test('gives a user their own, without impersonation tokens and without any secret', async () => {
    const user = await w.user()
    await w.root.post(`/users/${user.id}/impersonation_tokens`, { name: 'hidden', scopes: ['api'] })
    const { body, text, headers } = await user.get('/personal_access_tokens')
    expect(body).toEqual([
      {
        id: expect.any(Number),
        name: 'test',
        revoked: false,
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        description: null,
        scopes: ['api'],
        user_id: user.id,
        last_used_at: null,
        active: true,
        expires_at: null,
      },
    ])
    expect(text).not.toContain(user.token)
    expect(headers.get('x-total')).toBe('1')
  })

  test('shows those of others to administrators alone', async () => {
    const user = await userWithTokens(1)
    const asked = await w.root.get(`/personal_access_tokens?user_id=${user.id}`)
    expect(names(asked.body)).toEqual(['test', 'token 0'])
    expect((await user.get(`/personal_access_tokens?user_id=${user.id}`)).status).toBe(200)
    const other = await user.get('/personal_access_tokens?user_id=1')
    expect(other.status).toBe(401)
    expect(other.body).toEqual({ message: '401 Unauthorized' })
    expect((await w.root.get('/personal_access_tokens?user_id=999999999')).body).toEqual([])
  })

  test('orders in eight ways; what has no value comes last', async () => {
    const user = await w.user()
    const rows = [
      { name: 'b', created_at: '2024-01-02', expires_at: '2099-01-03', last_used_at: null },
      { name: 'c', created_at: '2024-01-03', expires_at: null, last_used_at: '2024-02-02' },
      { name: 'a', created_at: '2024-01-01', expires_at: '2099-01-01', last_used_at: '2024-02-03' },
    ]
    await w.db.deleteFrom('access_tokens').where('user_id', '=', user.id).execute()
    await w.db
      .insertInto('access_tokens')
      .values(
        rows.map((row) => ({
          ...row,
          kind: 'personal',
          user_id: user.id,
          scopes: ['api'],
          digest: Buffer.from(unique('digest')),
        })),
      )
      .execute()
    const sorted = async (sort: string) =>
      names((await w.root.get(`/personal_access_tokens?user_id=${user.id}&sort=${sort}`)).body).join('')
    expect(await sorted('created_asc')).toBe('abc')
    expect(await sorted('created_desc')).toBe('cba')
    expect(await sorted('name_asc')).toBe('abc')
    expect(await sorted('name_desc')).toBe('cba')
    expect(await sorted('expires_asc')).toBe('abc')
    expect(await sorted('expires_desc')).toBe('bac')
    expect(await sorted('last_used_asc')).toBe('cab')
    expect(await sorted('last_used_desc')).toBe('acb')
    const wrong = await w.root.get('/personal_access_tokens?sort=id_asc')
    expect(wrong.status).toBe(400)
    expect(wrong.body.error).toBe('sort does not have a valid value')
  })

  test('filters by state, time, day and part of the name', async () => {
    const user = await w.user()
    const path = `/users/${user.id}/personal_access_tokens`
    const made = async (name: string, expires_at?: string) =>
      (await w.root.post(path, { name, scopes: ['api'], expires_at })).body.id as number
    await made('Deploy soon', daysAfter(new Date().toISOString().slice(0, 10), 30))
    const gone = await made('deploy gone')
    const ended = await made('other')
    await w.root.delete(`/personal_access_tokens/${gone}`)
    await w.db
      .updateTable('access_tokens')
      .set({ expires_at: '2024-05-05', created_at: '2024-04-04', last_used_at: '2024-05-01T10:00:00Z' })
      .where('id', '=', ended)
      .execute()
    const found = async (query: string) =>
      names((await user.get(`/personal_access_tokens?sort=name_asc&${query}`)).body)
    expect(await found('state=active')).toEqual(['Deploy soon', 'test'])
    expect(await found('state=inactive')).toEqual(['deploy gone', 'other'])
    expect(await found('revoked=true')).toEqual(['deploy gone'])
    expect(await found('revoked=false')).toEqual(['Deploy soon', 'other', 'test'])
    expect(await found('search=DEPLOY')).toEqual(['Deploy soon', 'deploy gone'])
    expect(await found('search=%25')).toEqual([])
    expect(await found('expires_before=2024-05-05')).toEqual(['other'])
    expect(await found('expires_after=2024-05-06')).toEqual(['Deploy soon', 'deploy gone'])
    expect(await found('created_before=2024-05-01T00:00:00Z')).toEqual(['other'])
    expect(await found('created_after=2024-05-01')).toEqual(['Deploy soon', 'deploy gone', 'test'])
    expect(await found('last_used_after=2024-05-01T10:00:00Z')).toContain('other')
    expect(await found('last_used_before=2024-05-01T09:59:59Z')).toEqual([])
    expect((await user.get('/personal_access_tokens?state=all')).status).toBe(400)
    expect((await user.get('/personal_access_tokens?expires_after=soon')).status).toBe(400)
  })

  test('costs two statements whatever the page size, and pages', async () => {
    const user = await userWithTokens(4)
    const list = await w.statements(() => user.get('/personal_access_tokens'))
    expect(list.length).toBe(2)
    const { body, headers } = await user.get('/personal_access_tokens?per_page=2&page=2')
    expect(names(body)).toEqual(['token 1', 'token 2'])
    expect(headers.get('x-next-page')).toBe('3')
  })
})

describe('GET and DELETE /personal_access_tokens/:id', () => {
  test('one of mine, and then no more', async () => {
    const user = await w.user()
    const { id, client } = await w.token(user, ['read_api'])
    expect((await user.get(`/personal_access_tokens/${id}`)).body).toMatchObject({ id, scopes: ['read_api'] })
    expect((await user.delete(`/personal_access_tokens/${id}`)).status).toBe(204)
    expect((await client.get('/version')).status).toBe(401)
    expect((await user.get(`/personal_access_tokens/${id}`)).body).toMatchObject({
      revoked: true,
      active: false,
    })
    expect((await user.delete(`/personal_access_tokens/${id}`)).status).toBe(204)
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'actor_id', 'details'])
      .where('target_type', '=', 'AccessToken')
      .where('target_id', '=', id)
      .where('name', '=', 'token revoked')
      .execute()
    expect(facts).toEqual([
      {
        name: 'token revoked',
        actor_id: user.id,
        details: { name: 'test', kind: 'personal', user_id: user.id },
      },
    ])
  })

  test("another's, and an impersonation token of mine, are 401; missing ones are 404 for administrators", async () => {
    const [user, other] = [await w.user(), await w.user()]
    const theirs = await w.token(other)
    const hidden = await w.root.post(`/users/${user.id}/impersonation_tokens`, { name: 'x', scopes: ['api'] })
    for (const id of [theirs.id, hidden.body.id, 999_999_999]) {
      expect((await user.get(`/personal_access_tokens/${id}`)).status).toBe(401)
      expect((await user.delete(`/personal_access_tokens/${id}`)).status).toBe(401)
      expect((await user.post(`/personal_access_tokens/${id}/rotate`)).status).toBe(401)
    }
    expect((await theirs.client.get('/version')).status).toBe(200)
    for (const send of [
      () => w.root.get('/personal_access_tokens/999999999'),
      () => w.root.delete('/personal_access_tokens/999999999'),
      () => w.root.post('/personal_access_tokens/999999999/rotate'),
    ]) {
      expect(await send()).toMatchObject({ status: 404, body: { message: '404 Not found' } })
    }
    expect((await user.get('/personal_access_tokens/x')).body.error).toBe('id is invalid')
  })
})

describe('/personal_access_tokens/self', () => {
  test('any scope may look at itself and end itself', async () => {
    const user = await w.user()
    const { id, client } = await w.token(user, ['read_repository'])
    expect((await client.get('/personal_access_tokens/self')).body).toMatchObject({
      id,
      user_id: user.id,
      last_used_ips: [],
    })
    expect((await client.get('/personal_access_tokens')).status).toBe(403)
    expect((await client.delete('/personal_access_tokens/self')).status).toBe(204)
    expect((await client.get('/personal_access_tokens/self')).status).toBe(401)
    expect((await user.get('/version')).status).toBe(200)
  })

  test('a token of a project or group may look at itself; to revoke it here is 400, to rotate it 405', async () => {
    const user = await w.user()
    const { id, client } = await w.token(user)
    await w.db
      .updateTable('access_tokens')
      .set({ kind: 'project', namespace_id: 1, access_level: 40 })
      .where('id', '=', id)
      .execute()
    expect(await client.get('/personal_access_tokens/self')).toMatchObject({ status: 200, body: { id } })
    expect((await client.delete('/personal_access_tokens/self')).status).toBe(400)
    expect((await client.post('/personal_access_tokens/self/rotate')).status).toBe(405)
    expect((await w.root.post(`/personal_access_tokens/${id}/rotate`)).body).toEqual({
      message: '405 Method Not Allowed',
    })
  })
})

describe('GET /personal_access_tokens/self/associations', () => {
  test('groups and projects by what the user is there, each with its page', async () => {
    const { id, groupId, developer, stranger } = await w.project()
    await w.project({ visibility: 'public' })
    const below = await w.group()
    await w.member(groupId, developer, 20)
    const { body, headers } = await developer.get('/personal_access_tokens/self/associations')
    expect(body).toEqual({
      groups: [expect.objectContaining({ id: groupId, access_levels: 20, organization_id: 1 })],
      projects: [
        expect.objectContaining({
          id,
          access_levels: { project_access_level: 30, group_access_level: 20 },
          namespace: expect.objectContaining({ id: groupId, kind: 'group' }),
        }),
      ],
    })
    expect(headers.get('x-total')).toBe('1')
    const high = await developer.get('/personal_access_tokens/self/associations?min_access_level=30')
    expect(high.body.groups).toEqual([])
    expect(high.body.projects).toHaveLength(1)
    expect((await stranger.get('/personal_access_tokens/self/associations')).body).toEqual({
      groups: [],
      projects: [],
    })
    await w.member(below.id, stranger, 10)
    const longer = await stranger.get('/personal_access_tokens/self/associations?per_page=1')
    expect(longer.headers.get('x-total')).toBe('1')
    const statements = await w.statements(() => stranger.get('/personal_access_tokens/self/associations'))
    expect(statements.length).toBe(3)
  })
})

describe('POST /user/personal_access_tokens', () => {
  test('makes a token that can do next to nothing', async () => {
    const user = await w.user()
    const { status, body } = await user.post('/user/personal_access_tokens', {
      name: 'rotator',
      scopes: ['self_rotate', 'self_rotate'],
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({ name: 'rotator', scopes: ['self_rotate'], user_id: user.id })
    expect(body.token).toMatch(/^glpat-[\w-]{27}$/)
    expect(body).not.toHaveProperty('impersonation')
    const refused = await user.post('/user/personal_access_tokens', { name: 'x', scopes: ['api'] })
    expect(refused.status).toBe(400)
    expect(refused.body.error).toBe('scopes does not have a valid value')
    const useless = { name: 'x', scopes: ['k8s_proxy'] }
    expect((await user.post('/user/personal_access_tokens', useless)).body.message).toEqual({
      scopes: ['cannot contain k8s_proxy: there are no agents of clusters yet'],
    })
  })

  test('a scope without a use is refused whoever makes the token, and kept by those that have it', async () => {
    const user = await w.user()
    const asked = { name: 'x', scopes: ['read_user', 'ai_features'], expires_at: '2099-01-01' }
    for (const kind of ['personal_access_tokens', 'impersonation_tokens']) {
      const { status, body } = await w.root.post(`/users/${user.id}/${kind}`, asked)
      expect([status, body.message]).toEqual([
        400,
        { scopes: ['cannot contain ai_features: there are no features with artificial intelligence'] },
      ])
    }
    const { client, id } = await w.token(user, ['api', 'k8s_proxy'])
    const rotated = await client.post(`/personal_access_tokens/${id}/rotate`)
    expect([rotated.status, rotated.body.scopes]).toEqual([200, ['api', 'k8s_proxy']])
  })
})

describe('POST /users/:user_id/personal_access_tokens', () => {
  const create = (user: number, given: object) =>
    w.root.post(`/users/${user}/personal_access_tokens`, { name: 'x', scopes: ['api'], ...given })

  test('gives the secret once, stored as a digest only', async () => {
    const user = await w.user()
    const { status, body } = await create(user.id, { description: 'for CI', scopes: 'api,read_user' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ user_id: user.id, description: 'for CI', scopes: ['api', 'read_user'] })
    const client = w.anonymous.with({ 'private-token': body.token })
    expect((await client.get('/version')).status).toBe(200)
    const rows = await w.db.selectFrom('access_tokens').selectAll().where('id', '=', body.id).execute()
    const facts = await w.db.selectFrom('facts').selectAll().where('target_id', '=', body.id).execute()
    expect(JSON.stringify([rows, facts])).not.toContain(body.token)
    expect((await user.get(`/personal_access_tokens/${body.id}`)).text).not.toContain(body.token)
  })

  test('is for users who are there, and not for bots', async () => {
    const [gone, bot] = [await w.user(), await w.user({ kind: 'bot' })]
    expect((await w.root.delete(`/users/${gone.id}`)).status).toBe(204)
    expect(await create(gone.id, {})).toMatchObject({ status: 404, body: { message: '404 User Not Found' } })
    expect((await create(bot.id, {})).status).toBe(403)
  })

  test('ends after the longest life allowed unless a day is given', async () => {
    const { id } = await w.user()
    w.clock.hold('2025-01-01T23:59:59Z')
    expect((await create(id, {})).body.expires_at).toBe('2026-01-01')
    expect((await create(id, { expires_at: '2025-01-02' })).body.expires_at).toBe('2025-01-02')
    expect((await create(id, { expires_at: '2026-01-01' })).status).toBe(201)
    expect((await create(id, { expires_at: '2026-01-02' })).body).toEqual({
      message: { expires_at: ['must not be after 2026-01-01'] },
    })
    for (const day of ['2025-01-01', '2024-12-31']) {
      expect((await create(id, { expires_at: day })).body).toEqual({
        message: { expires_at: ['must be in the future'] },
      })
    }
    expect((await create(id, { expires_at: 'tomorrow' })).body.error).toBe('expires_at is invalid')
  })

  test('refuses what is missing, too long, unknown or only for administrators', async () => {
    const { id } = await w.user()
    const path = `/users/${id}/personal_access_tokens`
    expect((await w.root.post(path, {})).body.error).toBe('name is missing, scopes is missing')
    expect((await create(id, { name: ' ' })).body.error).toBe('name is empty')
    expect((await create(id, { name: 'x'.repeat(256) })).status).toBe(400)
    expect((await create(id, { description: 'x'.repeat(256) })).status).toBe(400)
    expect((await create(id, { scopes: ['everything'] })).body.error).toBe(
      'scopes does not have a valid value',
    )
    expect((await create(id, { scopes: [] })).body).toEqual({ message: { scopes: ["can't be blank"] } })
    for (const scope of ['sudo', 'admin_mode']) {
      expect((await create(id, { scopes: ['api', scope] })).body).toEqual({
        message: { scopes: ['can only contain available scopes'] },
      })
    }
    expect((await create(1, { scopes: ['api', 'sudo'] })).status).toBe(201)
    expect((await create(999_999_999, {})).body).toEqual({ message: '404 User Not Found' })
  })
})
