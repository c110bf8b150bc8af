import { sql } from 'kysely'
import { pino } from 'pino'
import { describe, expect, test } from 'vitest'
import type { UserState } from '#platform/db/schema.ts'
import { Client } from '#test/client.ts'
import { lockWaiters } from '#test/lock-waiters.ts'
import { unique, w } from '#test/world.ts'

const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
})
const whose = async (client: Client, path = '') => {
  const { status, body } = await client.get(`/personal_access_tokens/self${path}`)
  return status === 200 ? body.user_id : status
}

describe('a token is taken from', () => {
  test('the headers PRIVATE-TOKEN and Authorization, the query and the body', async () => {
    const { id, token } = await w.user()
    const send = (headers: Record<string, string>) => whose(w.anonymous.with(headers))
    expect(await send({ 'PRIVATE-TOKEN': token })).toBe(id)
    expect(await send({ authorization: `Bearer ${token}` })).toBe(id)
    expect(await send({ authorization: `bearer  ${token}` })).toBe(id)
    expect(await send(basic('anything', token))).toBe(id)
    expect(await send(basic('', token))).toBe(id)
    expect(await whose(w.anonymous, `?private_token=${token}`)).toBe(id)
    expect(await whose(w.anonymous, `?access_token=${token}`)).toBe(id)
    const made = { name: unique('token'), scopes: ['self_rotate'] }
    const json = await w.anonymous.post('/user/personal_access_tokens', { ...made, private_token: token })
    expect(json.body.user_id).toBe(id)
    const form = new URLSearchParams({ name: 'x', 'scopes[]': 'self_rotate', access_token: token })
    expect((await w.anonymous.send('POST', '/user/personal_access_tokens', { form })).body.user_id).toBe(id)
  })

  test('one place: the first that has any decides, also when it is wrong', async () => {
    const [first, second, third] = [await w.user(), await w.user(), await w.user()]
    const bearer = { authorization: `Bearer ${third.token}` }
    expect(await whose(first.with(bearer), `?private_token=${second.token}`)).toBe(first.id)
    expect(await whose(w.anonymous.with(bearer), `?private_token=${second.token}`)).toBe(second.id)
    expect(await whose(w.anonymous.with(bearer), `?access_token=${second.token}`)).toBe(third.id)
    const wrong = w.anonymous.with({ ...bearer, 'private-token': 'wrong' })
    expect(await whose(wrong, `?private_token=${second.token}`)).toBe(401)
    expect(await whose(w.anonymous.with({ ...bearer, 'private-token': '' }))).toBe(third.id)
  })
})

describe('401', () => {
  const plain = { status: 401, body: { message: '401 Unauthorized' } }
  const invalid = (error_description: string) => ({
    status: 401,
    body: { message: '401 Unauthorized', error: 'invalid_token', error_description },
  })

  test('for no credentials and for wrong ones in any place and form', async () => {
    expect(await w.anonymous.get('/version')).toMatchObject(plain)
    const wrong = [
      { 'private-token': 'wrong' },
      { 'private-token': 'glpat-' },
      { authorization: 'Bearer wrong' },
      { authorization: 'Bearer' },
      { authorization: 'Basic %%%' },
      { authorization: 'Digest x' },
      basic('root', ''),
      basic('root', 'password'),
    ]
    for (const headers of wrong) expect(await w.anonymous.get('/version', { headers })).toMatchObject(plain)
    for (const query of ['private_token=x', 'access_token=x', 'private_token[]=x', 'access_token[a]=x']) {
      expect(await w.anonymous.get(`/version?${query}`)).toMatchObject(plain)
    }
    expect(await w.anonymous.post('/user/personal_access_tokens', { private_token: 7 })).toMatchObject(plain)
  })

  test('also where anonymous callers are heard', async () => {
    const { id, anonymous } = await w.project({ visibility: 'public' })
    const path = `/projects/${id}/labels`
    expect((await anonymous.get(path)).status).toBe(200)
    expect(await anonymous.get(path, { headers: { 'private-token': 'wrong' } })).toMatchObject(plain)
    expect(await anonymous.get(`${path}?private_token=wrong`)).toMatchObject(plain)
  })

  test('before a missing parameter, a missing project or a missing right is named', async () => {
    expect((await w.anonymous.post('/projects/999999999/labels', {})).status).toBe(401)
    expect((await w.anonymous.put('/application/settings', { notes_create_limit: 'x' })).status).toBe(401)
  })

  test('for an expired token, from the beginning of its day, with the OAuth form', async () => {
    const { client } = await w.token(await w.user(), ['api'], '2030-01-01')
    w.clock.hold('2029-12-31T23:59:59.999Z')
    expect((await client.get('/version')).status).toBe(200)
    w.clock.hold('2030-01-01')
    const answer = await client.get('/version')
    const because = 'Token is expired. You can either do re-authorization or token refresh.'
    expect(answer).toMatchObject(invalid(because))
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="The API", error="invalid_token", error_description="${because}"`,
    )
  })

  test('for a revoked token, with the OAuth form', async () => {
    const { client } = await w.token(await w.user())
    await client.delete('/personal_access_tokens/self')
    const answer = await client.get('/version')
    const because = 'Token was revoked. You have to re-authorize from the user.'
    expect(answer).toMatchObject(invalid(because))
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer realm="The API", error="invalid_token", error_description="${because}"`,
    )
  })
})

describe('403', () => {
  test.each([
    ['blocked', 'Your account has been blocked.'],
    ['banned', 'Your account has been blocked.'],
    ['deactivated', 'Your account has been deactivated by your administrator.'],
    ['blocked_pending_approval', 'Your account is pending approval from your administrator.'],
  ] as const)('for a user who is %s, until they are active again', async (state, text) => {
    const user = await w.user()
    const become = (next: UserState) =>
      w.db.updateTable('users').set({ state: next }).where('id', '=', user.id).execute()
    await become(state)
    const { status, body } = await user.get('/version')
    expect([status, body.message]).toEqual([403, expect.stringContaining(`403 Forbidden - ${text}`)])
    await become('active')
    expect((await user.get('/version')).status).toBe(200)
  })

  test('for a token whose scopes are too small, with those that would do', async () => {
    const { id, owner } = await w.project({ visibility: 'public' })
    const as = async (scope: 'read_api' | 'read_user' | 'read_repository') =>
      (await w.token(owner, [scope])).client
    const error_description = 'The request requires higher privileges than provided by the access token.'
    const refusal = (scope: string) => ({
      status: 403,
      body: { message: '403 Forbidden', error: 'insufficient_scope', error_description, scope },
    })
    const labels = `/projects/${id}/labels`
    expect((await (await as('read_api')).get(labels)).status).toBe(200)
    // A token does not become an anonymous caller: what it may not read it may not read.
    expect(await (await as('read_user')).get(labels)).toMatchObject(refusal('api read_api'))
    expect(await (await as('read_api')).post(labels, {})).toMatchObject(refusal('api'))
    expect((await (await as('read_user')).get('/version')).status).toBe(200)
    expect(await (await as('read_repository')).get('/version')).toMatchObject(
      refusal('api read_api read_user ai_features'),
    )
  })
})

describe('the last use of a token', () => {
  test('is known soon, without a write in any request', async () => {
    const user = await w.user()
    const [{ id }] = (await user.get('/personal_access_tokens')).body
    const { lastUsed } = w.running.services
    await lastUsed.flush()
    w.clock.hold('2035-01-01T10:00:00Z')
    const statements = await w.statements(async () => {
      for (let request = 0; request < 5; request += 1) await user.get('/version')
    })
    expect(statements).toHaveLength(5)
    expect(statements.filter((text) => /^\s*(insert|update|delete)/i.test(text))).toEqual([])
    await lastUsed.flush()
    const used = async () =>
      (await w.root.get(`/personal_access_tokens/${id}`)).body.last_used_at as string | null
    expect(await used()).toBe('2035-01-01T10:00:00.000Z')
    await lastUsed.flush()
    w.clock.hold('2035-01-01T10:00:59Z')
    const useAndFlush = async () => {
      await user.get('/version')
      await lastUsed.flush()
    }
    expect(await w.statements(useAndFlush)).toHaveLength(1)
    w.clock.hold('2035-01-01T10:01:00Z')
    // The request, two locks and the write.
    expect(await w.statements(useAndFlush)).toHaveLength(4)
    expect(await used()).toBe('2035-01-01T10:01:00.000Z')
  })

  test('is kept of all, also while one of their accounts is being deleted', async () => {
    const { lastUsed } = w.running.services
    const [leaving, staying] = [await w.user(), await w.user()]
    await lastUsed.flush()
    for (const user of [leaving, staying]) await user.get('/version')
    let flushed = Promise.resolve()
    // As a deletion does: the account first, then its tokens.
    await w.db.transaction().execute(async (db) => {
      await db.selectFrom('users').select('id').where('id', '=', leaving.id).forUpdate().execute()
      flushed = lastUsed.flush()
      await lockWaiters(1)
      await db.deleteFrom('access_tokens').where('user_id', '=', leaving.id).execute()
    })
    await flushed
    expect((await staying.get('/personal_access_tokens')).body[0].last_used_at).not.toBeNull()
  })
})

describe('secrets', () => {
  test('in the query are not logged, however their names are written', async () => {
    const lines: string[] = []
    const node = await w.another(pino({ level: 'info' }, { write: (line) => void lines.push(line) }))
    try {
      const { token } = await w.user()
      const nobody = new Client(node.url)
      for (const name of ['private_token', 'access_token', 'private%5Ftoken', 'private_token%5B%5D']) {
        await nobody.get(`/version?page=1&${name}=${token}&per_page=2`)
      }
      await nobody.get(`/nowhere?private_token=${token}`)
      const requests = lines.filter((line) => line.includes('"request"'))
      expect(requests).toHaveLength(5)
      expect(lines.join('')).not.toContain(token)
      expect(requests[0]).toContain('/api/v4/version?page=1&private_token=[redacted]&per_page=2')
    } finally {
      await node.stop()
    }
  })
})

describe('rights end on their day', () => {
  test('of memberships', async () => {
    const { id, groupId, namespaceId } = await w.project()
    for (const namespace of [groupId, namespaceId]) {
      const user = await w.user()
      await w.member(namespace, user, 40)
      await w.db
        .updateTable('members')
        .set({ expires_at: '2030-01-01' })
        .where('user_id', '=', user.id)
        .where('namespace_id', '=', namespace)
        .execute()
      w.clock.hold('2029-12-31T23:59:59Z')
      expect((await user.post(`/projects/${id}/labels`, { name: unique('l'), color: 'red' })).status).toBe(
        201,
      )
      w.clock.hold('2030-01-01')
      expect((await user.get(`/projects/${id}/labels`)).status).toBe(404)
    }
  })

  test('of groups that were invited', async () => {
    const { id, namespaceId } = await w.project()
    const invited = await w.group()
    await sql`insert into shares (namespace_id, group_id, access_level, expires_at, created_at)
      values (${namespaceId}, ${invited.id}, 30, '2030-01-01', '2024-01-01')`.execute(w.db)
    w.clock.hold('2029-12-31T23:59:59Z')
    expect((await invited.developer.get(`/projects/${id}/labels`)).status).toBe(200)
    expect((await invited.owner.delete(`/projects/${id}/labels/none`)).status).toBe(404)
    w.clock.hold('2030-01-01')
    expect((await invited.developer.get(`/projects/${id}/labels`)).status).toBe(404)
  })
})
