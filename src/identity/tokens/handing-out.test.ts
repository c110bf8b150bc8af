import { describe, expect, test } from 'vitest'
import { type Actor, w } from '#test/world.ts'
import { application, signIn } from '#identity/oauth/test-support.ts'

/** Rotating or making a token hands out a secret; no credentials get one that opens more than they do. */

const refusedToOAuth = {
  status: 403,
  body: { message: '403 Forbidden - Must be authenticated using a personal access token' },
}

const lacks = (scope: string) => ({
  status: 403,
  body: { message: '403 Forbidden', error: 'insufficient_scope', scope },
})

/** Sends requests for a user with an OAuth token of an application that they authorized. */
async function byOAuth(user: Actor, scope = 'api') {
  const app = await application()
  const { access_token } = await signIn(app, user, scope)
  return w.anonymous.with({ authorization: `Bearer ${access_token}` })
}

const works = async (token: string) =>
  (await w.anonymous.with({ 'private-token': token }).get('/version')).status === 200

describe('an OAuth token', () => {
  test('rotates no personal token of its user', async () => {
    const user = await w.user()
    const personal = await w.token(user)
    const client = await byOAuth(user)
    expect((await client.get(`/personal_access_tokens/${personal.id}`)).status).toBe(200)
    expect(await client.post(`/personal_access_tokens/${personal.id}/rotate`)).toMatchObject(refusedToOAuth)
    expect(await works(personal.secret)).toBe(true)
  })

  test('rotates no token of a project or group', async () => {
    for (const kind of ['project', 'group'] as const) {
      const place = await w[kind]()
      const base = `/${kind}s/${place.id}/access_tokens`
      const { body } = await place.owner.post(base, { name: 'bot', scopes: ['api'], access_level: 10 })
      const client = await byOAuth(place.owner)
      expect(await client.post(`${base}/${body.id}/rotate`)).toMatchObject(refusedToOAuth)
      expect(await works(body.token)).toBe(true)
    }
  })

  test('makes no personal and no impersonation token', async () => {
    const administrator = await w.user({ admin: true })
    const { id } = await w.user()
    const client = await byOAuth(administrator)
    const token = { name: 'kept', scopes: ['api'] }
    for (const path of [`/users/${id}/personal_access_tokens`, `/users/${id}/impersonation_tokens`]) {
      expect(await client.post(path, token)).toMatchObject(refusedToOAuth)
    }
    const own = { name: 'kept', scopes: ['self_rotate'] }
    expect(await client.post('/user/personal_access_tokens', own)).toMatchObject(refusedToOAuth)
  })

  test('is refused also when it acts by sudo', async () => {
    const administrator = await w.user({ admin: true })
    const personal = await w.token(await w.user())
    const client = (await byOAuth(administrator, 'api sudo')).with({ sudo: String(personal.user_id) })
    expect(await client.post(`/personal_access_tokens/${personal.id}/rotate`)).toMatchObject(refusedToOAuth)
  })
})

describe('a token with the scope api alone', () => {
  test('rotates no token with sudo, and is told what is missing', async () => {
    const administrator = await w.user({ admin: true })
    const strong = await w.token(administrator, ['api', 'sudo', 'admin_mode'])
    const path = `/personal_access_tokens/${strong.id}/rotate`
    expect(await administrator.post(path)).toMatchObject(lacks('sudo admin_mode'))
    expect(await works(strong.secret)).toBe(true)
    // One that has as much may.
    const equal = await w.token(administrator, ['api', 'sudo', 'admin_mode'])
    expect((await equal.client.post(path)).status).toBe(200)
  })

  test('makes no token with sudo, for whomever', async () => {
    const administrator = await w.user({ admin: true })
    const token = { name: 'more', scopes: ['api', 'sudo'] }
    for (const kind of ['personal_access_tokens', 'impersonation_tokens']) {
      const path = `/users/${administrator.id}/${kind}`
      expect(await administrator.post(path, token)).toMatchObject(lacks('sudo'))
      expect((await w.root.post(path, token)).status).toBe(201)
    }
  })

  test('covers everything that is not about the instance', async () => {
    const user = await w.user()
    const other = await w.token(user, ['read_repository', 'write_registry', 'k8s_proxy', 'self_rotate'])
    expect((await user.post(`/personal_access_tokens/${other.id}/rotate`)).status).toBe(200)
  })
})

test('a token rotates itself, whatever its scopes', async () => {
  const { client } = await w.token(w.root, ['self_rotate', 'sudo', 'read_service_ping'])
  expect((await client.post('/personal_access_tokens/self/rotate')).status).toBe(200)
})

test('somebody signed in with a browser rotates any token of theirs', async () => {
  const administrator = await w.user({ admin: true })
  const strong = await w.token(administrator, ['api', 'sudo'])
  const { client } = await w.session(administrator)
  expect((await client.post(`/personal_access_tokens/${strong.id}/rotate`)).status).toBe(200)
})
