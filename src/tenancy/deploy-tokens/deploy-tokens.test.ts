import { describe, expect, test } from 'vitest'
import { holderOf } from '#test/access/credential-kinds.ts'
import { type Actor, type Place, unique, w } from '#test/world.ts'
import { identifyDeployToken, reaches } from '#platform/access/deploy-tokens.ts'
import { digestOf } from '#platform/access/digest.ts'
import { until } from '#test/until.ts'

const kinds = ['project', 'group'] as const
type Kind = (typeof kinds)[number]

const makers = { project: () => w.project(), group: () => w.group() }
const baseOf = (kind: Kind, { id }: { id: number }) => `/${kind}s/${id}/deploy_tokens`

async function made(kind: Kind, place: Place, given: object = {}, as: Actor = place.owner) {
  const request = { name: unique('token'), scopes: ['read_repository'], ...given }
  const { status, body } = await as.post(baseOf(kind, place), request)
  expect([status, body.message]).toEqual([201, undefined])
  return { ...body, path: `${baseOf(kind, place)}/${body.id}` }
}

const identify = (username: string, secret: string) =>
  identifyDeployToken(w.running.services, { username, digest: digestOf(secret) })

describe.each(kinds)('POST /%ss/:id/deploy_tokens', (kind) => {
  test('makes a token whose secret only the answer shows', async () => {
    const place = await makers[kind]()
    const { path, token, ...shown } = await made(kind, place, {
      name: 'puller',
      scopes: ['read_repository', 'read_virtual_registry', 'read_repository'],
      expires_at: '2099-01-31T12:30:00+02:00',
      username: 'robot+1',
    })
    expect(shown).toEqual({
      id: expect.any(Number),
      name: 'puller',
      username: 'robot+1',
      expires_at: '2099-01-31T10:30:00.000Z',
      scopes: ['read_repository', 'read_virtual_registry'],
      revoked: false,
      expired: false,
    })
    expect(token).toMatch(/^gldt-[\w-]{27}$/)
    expect((await place.maintainer.get(path)).body).toEqual(shown)
    expect((await place.maintainer.get(baseOf(kind, place))).body).toEqual([shown])
  })

  test('names the username after the id, also where clients send blanks', async () => {
    const place = await makers[kind]()
    const body = await made(kind, place, {
      username: '',
      expires_at: '',
      scopes: 'read_virtual_registry,write_virtual_registry',
    })
    expect(body).toMatchObject({
      username: `gitlab+deploy-token-${body.id}`,
      expires_at: null,
      scopes: ['read_virtual_registry', 'write_virtual_registry'],
    })
  })

  test('takes every scope of deploy tokens, and no other', async () => {
    const place = await makers[kind]()
    const scopes = [
      'read_repository',
      'read_registry',
      'write_registry',
      'read_package_registry',
      'write_package_registry',
      'read_virtual_registry',
      'write_virtual_registry',
    ]
    expect((await made(kind, place, { scopes })).scopes).toEqual(scopes)
    const refused = async (given: object) => {
      const request = { name: 'x', scopes: ['read_repository'], ...given }
      const { status, body } = await place.owner.post(baseOf(kind, place), request)
      expect([given, status]).toEqual([given, 400])
      return body.message
    }
    for (const scope of ['api', 'read_api', 'write_repository', 'sudo', 'nonsense']) {
      expect(await refused({ scopes: [scope] })).toBeTypeOf('object')
    }
    expect(await refused({ scopes: [] })).toEqual({ scopes: ["can't be blank"] })
    expect(await refused({ username: 'a b' })).toEqual({
      username: ["can contain only letters, digits, '_', '-', '+', and '.'"],
    })
    await refused({ expires_at: 'soon' })
    await refused({ name: 'x'.repeat(256) })
    await refused({ name: ' ' })
    const missing = await place.owner.post(baseOf(kind, place), {})
    expect(missing.body.error).toBe('name is missing, scopes is missing')
  })

  test('takes a moment that has passed, as clients expect; the token has then expired', async () => {
    const place = await makers[kind]()
    const old = await made(kind, place, { expires_at: '2021-01-01' })
    expect(old).toMatchObject({ expires_at: '2021-01-01T00:00:00.000Z', expired: true })
    const current = await made(kind, place)
    const ids = async (query: string) =>
      (await place.owner.get(`${baseOf(kind, place)}${query}`)).body.map(({ id }: { id: number }) => id)
    expect(await ids('')).toEqual([old.id, current.id])
    expect(await ids('?active=false')).toEqual([old.id, current.id])
    expect(await ids('?active=true')).toEqual([current.id])
  })
})

describe.each(kinds)('a deploy token of a %s', (kind) => {
  test('is found in its own place only', async () => {
    const [place, other] = [await makers[kind](), await makers[kind]()]
    const { id, path, username, token } = await made(kind, place)
    const elsewhere = `${baseOf(kind, other)}/${id}`
    expect(await other.owner.get(elsewhere)).toMatchObject({
      status: 404,
      body: { message: '404 Not found' },
    })
    expect((await other.owner.delete(elsewhere)).status).toBe(404)
    expect(await identify(username, token)).toBeDefined()
    expect((await place.owner.delete(path)).status).toBe(204)
    expect((await place.owner.delete(path)).status).toBe(404)
    expect(await identify(username, token)).toBeUndefined()
  })

  test('is no credential of the API, however it is sent', async () => {
    const place = await makers[kind]()
    await w.root.put(`/${kind}s/${place.id}`, { visibility: 'public' })
    const { token, username } = await made(kind, place)
    const basic = Buffer.from(`${username}:${token}`).toString('base64')
    const ways: [string, Record<string, string>][] = [
      ['', { 'private-token': token }],
      ['', { 'deploy-token': token }],
      ['', { authorization: `Bearer ${token}` }],
      ['', { authorization: `Basic ${basic}` }],
      [`?private_token=${token}`, {}],
      [`?access_token=${token}`, {}],
    ]
    for (const [query, headers] of ways) {
      const answer = await w.anonymous.with(headers).get(`/${kind}s/${place.id}${query}`)
      expect([query, headers, answer.status, answer.body]).toEqual([
        query,
        headers,
        401,
        { message: '401 Unauthorized' },
      ])
    }
    // A token of the API does not become valid in this header.
    const other = w.anonymous.with({ 'deploy-token': place.owner.token })
    expect((await other.get(`/${kind}s/${place.id}`)).status).toBe(401)
  })
})

test('an OAuth token cannot make one: it would outlive the authorization', async () => {
  const place = await w.project()
  const { client } = await holderOf('OAuth token', place, false)
  const request = { name: 'x', scopes: ['read_repository'] }
  expect(await client.post(baseOf('project', place), request)).toMatchObject({
    status: 403,
    body: { message: '403 Forbidden - Must be authenticated using a personal access token' },
  })
})

describe('GET /deploy_tokens', () => {
  test('lists those of all projects and groups that are not being deleted', async () => {
    const [project, group] = [await w.project(), await w.group()]
    const [first, second] = [await made('project', project), await made('group', group)]
    const all = async (query: string) => {
      const { headers } = await w.root.get(`/deploy_tokens?per_page=1${query}`)
      const last = headers.get('x-total-pages')
      const { body } = await w.root.get(`/deploy_tokens?per_page=1&page=${last}${query}`)
      return body.map(({ id }: { id: number }) => id)
    }
    expect(await all('')).toEqual([second.id])
    expect(await all('&active=true')).toEqual([second.id])
    await w.root.delete(`/groups/${group.id}`)
    expect(await all('')).toEqual([first.id])
  })
})

describe('identifying a deploy token', () => {
  test('needs its username and its secret, before it expires', async () => {
    w.clock.hold('2032-01-01T00:00:00Z')
    const place = await w.project()
    const { id, username, token } = await made('project', place, {
      scopes: ['read_repository', 'read_virtual_registry'],
      expires_at: '2032-01-02T00:00:00Z',
    })
    expect(await identify(username, token)).toEqual({
      id,
      username,
      scopes: ['read_repository', 'read_virtual_registry'],
      kind: 'project',
      namespace_id: place.namespaceId,
    })
    expect(await identify('somebody', token)).toBeUndefined()
    expect(await identify('', token)).toBeUndefined()
    expect(await identify(username, `${token}x`)).toBeUndefined()
    expect(await identify(username, '')).toBeUndefined()
    w.clock.hold('2032-01-01T23:59:59.999Z')
    expect(await identify(username, token)).toBeDefined()
    w.clock.hold('2032-01-02T00:00:00Z')
    expect(await identify(username, token)).toBeUndefined()
  })

  test('tells which projects it reaches', async () => {
    const group = await w.group()
    const inner = await w.group({ parent: group.id })
    const [own, deep, foreign] = [
      await w.project({ parent: group.id }),
      await w.project({ parent: inner.id }),
      await w.project(),
    ]
    const positionOf = ({ namespaceId }: { namespaceId: number }) =>
      w.db
        .selectFrom('namespaces')
        .select('traversal_ids')
        .where('id', '=', namespaceId)
        .executeTakeFirstOrThrow()
    const reached = async (kind: Kind, place: Place) => {
      const { username, token } = await made(kind, place)
      const found = await identify(username, token)
      if (found === undefined) throw new Error('The token is unknown')
      return Promise.all([own, deep, foreign].map(async (one) => reaches(found, await positionOf(one))))
    }
    expect(await reached('group', group)).toEqual([true, true, false])
    expect(await reached('group', inner)).toEqual([false, true, false])
    expect(await reached('project', own)).toEqual([true, false, false])
  })

  test('fails from the moment that its project, or a group above, is deleted; a job removes the row', async () => {
    const group = await w.group()
    const project = await w.project({ parent: group.id })
    const tokens = [await made('project', project), await made('group', group)]
    expect((await w.root.delete(`/groups/${group.id}`)).status).toBe(202)
    for (const { username, token } of tokens) expect(await identify(username, token)).toBeUndefined()
    const ids = tokens.map(({ id }) => Number(id))
    const left = () => w.db.selectFrom('deploy_tokens').select('id').where('id', 'in', ids).execute()
    await until(async () => expect(await left()).toEqual([]))
  })

  test('keeps when the token was last used, once a minute', async () => {
    w.clock.hold('2033-01-01T00:00:00Z')
    const { id, username, token } = await made('project', await w.project())
    const { lastUsed } = w.running.services
    const use = async () => {
      await identify(username, token)
      await lastUsed.flush()
    }
    await lastUsed.flush()
    // The look-up, a lock and the write.
    expect(await w.statements(use)).toHaveLength(3)
    w.clock.hold('2033-01-01T00:00:59Z')
    expect(await w.statements(use)).toHaveLength(1)
    const { last_used_at } = await w.db
      .selectFrom('deploy_tokens')
      .select('last_used_at')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    expect(last_used_at).toBe('2033-01-01 00:00:00+00')
  })
})
