import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { pino } from 'pino'
import { createLog } from '#platform/log.ts'
import { w } from '#test/world.ts'
import { cleanUpOAuth } from './clean-up.ts'
import { authorizedApplications } from './queries.ts'
import { revokeApplication } from './revoke-application.ts'
import {
  application,
  discover,
  factsAbout,
  options,
  post,
  postAs,
  refresh,
  signIn,
  statusWith,
} from './test-support.ts'

const bearer = (token: string) => w.anonymous.with({ authorization: `Bearer ${token}` })
const info = (authorization?: string) =>
  w.anonymous.send('GET', `${w.url}/oauth/token/info`, authorization ? { headers: { authorization } } : {})

describe('an access token', () => {
  test('is taken by the API in three places, with its scopes enforced', async () => {
    const { access_token } = await signIn(await application(), await w.user(), 'read_api')
    expect((await w.anonymous.get(`/user?access_token=${access_token}`)).status).toBe(200)
    expect((await w.anonymous.with({ 'private-token': access_token }).get('/user')).status).toBe(200)
    const by = bearer(access_token)
    expect((await by.get('/projects')).status).toBe(200)
    expect(await by.post('/projects', { name: 'x' })).toMatchObject({
      status: 403,
      body: { error: 'insufficient_scope', scope: 'api' },
    })
  })

  test('ends after two hours', async () => {
    w.clock.hold('2026-05-01T10:00:00Z')
    const { access_token } = await signIn(await application(), await w.user())
    w.clock.hold('2026-05-01T11:59:59.999Z')
    expect(await statusWith(access_token)).toBe(200)
    w.clock.hold('2026-05-01T12:00:00Z')
    expect(await bearer(access_token).get('/user')).toMatchObject({
      status: 401,
      body: { error: 'invalid_token' },
    })
  })

  test('of an administrator with the scope acts as somebody else', async () => {
    const admin = await w.user({ admin: true })
    const user = await w.user()
    const app = await application()
    const sudo = async (scope: string) =>
      bearer((await signIn(app, admin, scope)).access_token).get(`/user?sudo=${user.username}`)
    expect((await sudo('api sudo')).body.id).toBe(user.id)
    expect(await sudo('api')).toMatchObject({ status: 403, body: { scope: 'sudo' } })
  })

  test('ends with its application', async () => {
    const app = await application()
    const { access_token } = await signIn(app, await w.user())
    expect((await w.root.delete(`/applications/${app.id}`)).status).toBe(204)
    expect(await statusWith(access_token)).toBe(401)
  })
})

describe('POST /oauth/revoke', () => {
  test.each(['access_token', 'refresh_token'] as const)(
    'through a standard library with the %s ends both',
    async (which) => {
      const app = await application()
      const tokens = await signIn(app, await w.user())
      const as = await discover()
      const answer = await oauth.revocationRequest(as, app.client, app.auth, tokens[which], options)
      await oauth.processRevocationResponse(answer)
      expect(await statusWith(tokens.access_token)).toBe(401)
      expect((await refresh(app, tokens.refresh_token)).body.error).toBe('invalid_grant')
      expect((await factsAbout(app)).at(-1)).toBe('application revoked')
    },
  )

  test('answers {} whatever the token was', async () => {
    const [app, other] = [await application(), await application({ confidential: false })]
    const { access_token, refresh_token } = await signIn(other, await w.user())
    for (const token of ['unknown', access_token, refresh_token]) {
      const { status, body, headers } = await postAs(app, 'revoke', { token, token_type_hint: 'x' })
      expect([status, body, headers.get('cache-control')]).toEqual([200, {}, 'no-store'])
    }
    expect(await statusWith(access_token)).toBe(200)
    expect((await postAs(other, 'revoke', { token: access_token })).body).toEqual({})
    expect(await statusWith(access_token)).toBe(401)
  })

  test('ends a token without a user', async () => {
    const app = await application()
    const { body } = await postAs(app, 'token', { grant_type: 'client_credentials' })
    expect((await info(`Bearer ${body.access_token}`)).status).toBe(200)
    await postAs(app, 'revoke', { token: body.access_token })
    expect((await info(`Bearer ${body.access_token}`)).status).toBe(401)
  })

  test('needs a client and a token', async () => {
    const app = await application()
    expect((await post('revoke', { token: 'x' })).body.error).toBe('invalid_client')
    expect((await postAs({ ...app, secret: 'wrong' }, 'revoke', { token: 'x' })).status).toBe(401)
    expect((await postAs(app, 'revoke', {})).body.error).toBe('invalid_request')
  })
})

describe('POST /oauth/introspect', () => {
  test('tells the application of its token, through a standard library', async () => {
    w.clock.hold('2026-05-01T10:00:00Z')
    const app = await application()
    const { access_token } = await signIn(app, await w.user(), 'read_user api')
    const as = await discover()
    const answer = await oauth.introspectionRequest(as, app.client, app.auth, access_token, options)
    expect(await oauth.processIntrospectionResponse(as, app.client, answer)).toEqual({
      active: true,
      scope: 'read_user api',
      client_id: app.uid,
      token_type: 'Bearer',
      iat: Date.parse('2026-05-01T10:00:00Z') / 1000,
      exp: Date.parse('2026-05-01T12:00:00Z') / 1000,
    })
  })

  test('of every other token only that it is not active', async () => {
    w.clock.hold('2026-05-01T10:00:00Z')
    const app = await application()
    const user = await w.user()
    const [own, blocked] = [await signIn(app, await w.user()), await signIn(app, user)]
    const other = await signIn(await application(), await w.user())
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
    for (const token of [
      'unknown',
      user.token,
      own.refresh_token,
      other.access_token,
      blocked.access_token,
    ]) {
      expect((await postAs(app, 'introspect', { token })).body).toEqual({ active: false })
    }
    expect((await postAs(app, 'introspect', { token: own.access_token })).body.active).toBe(true)
    w.clock.hold('2026-05-01T12:00:00Z')
    expect((await postAs(app, 'introspect', { token: own.access_token })).body).toEqual({ active: false })
  })

  test('answers only applications that prove who they are', async () => {
    const open = await application({ confidential: false })
    const { access_token: token } = await signIn(open, await w.user())
    expect((await postAs(open, 'introspect', { token })).body.error).toBe('invalid_client')
    expect((await post('introspect', { token })).status).toBe(401)
  })
})

describe('GET /oauth/token/info', () => {
  test('tells the holder', async () => {
    w.clock.hold('2026-05-01T10:00:00Z')
    const app = await application()
    const user = await w.user()
    const { access_token } = await signIn(app, user, 'read_user api')
    w.clock.hold('2026-05-01T10:10:00Z')
    expect((await info(`Bearer ${access_token}`)).body).toEqual({
      resource_owner_id: user.id,
      scope: ['read_user', 'api'],
      expires_in: 6600,
      application: { uid: app.uid },
      created_at: Date.parse('2026-05-01T10:00:00Z') / 1000,
      scopes: ['read_user', 'api'],
      expires_in_seconds: 6600,
    })
  })

  test('has no owner for what an application does on its own behalf', async () => {
    const { body } = await postAs(await application(), 'token', { grant_type: 'client_credentials' })
    expect((await info(`Bearer ${body.access_token}`)).body.resource_owner_id).toBeNull()
  })

  test('refuses everything else with 401 and a challenge', async () => {
    const user = await w.user()
    for (const [header, error] of [
      [undefined, 'invalid_request'],
      ['Basic eDp5', 'invalid_request'],
      ['Bearer gloat-unknown', 'invalid_token'],
      [`Bearer ${user.token}`, 'invalid_token'],
    ] as const) {
      const { status, body, headers } = await info(header)
      expect([status, body.error]).toEqual([401, error])
      expect(headers.get('www-authenticate')).toContain(`error="${error}"`)
    }
  })
})

describe('/.well-known/oauth-authorization-server', () => {
  test('names only what is there', async () => {
    const as = await discover()
    expect(as).toMatchObject({
      issuer: w.url,
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      authorization_response_iss_parameter_supported: true,
    })
    const endpoints = Object.entries(as).flatMap(([name, url]) =>
      name.endsWith('_endpoint') && typeof url === 'string' ? [url] : [],
    )
    expect(endpoints).toHaveLength(5)
    for (const url of endpoints) {
      expect((await w.anonymous.send('POST', url, { json: {} })).status).not.toBe(404)
    }
    expect((await w.anonymous.get(`${w.url}/.well-known/openid-configuration`)).status).toBe(404)
  })
})

describe('what a user allowed', () => {
  test('is listed by application, with all its scopes', async () => {
    const user = await w.user()
    const [a, b] = [await application({ name: 'b' }), await application({ name: 'a' })]
    w.clock.hold('2026-05-01T10:00:00Z')
    await signIn(a, user, 'read_user')
    await signIn(a, user, 'api')
    await signIn(b, user, 'api')
    w.clock.hold('2026-05-01T11:00:00Z')
    const { access_token } = await signIn(a, await w.user(), 'read_api')
    expect(access_token).toBeDefined()
    const listed = await authorizedApplications(w.db, user.id, w.clock.now().toISOString())
    expect(listed).toMatchObject([
      { id: b.id, name: 'a', scopes: ['api'], owner_username: null },
      { id: a.id, name: 'b', scopes: ['api', 'read_user'] },
    ])
    expect(listed[0]?.authorized_at).toMatch(/^2026-05-01 10:00:00/)
  })

  test('is taken back at once, and only that', async () => {
    const user = await w.user()
    const [app, other] = [await application(), await application()]
    const [one, two, kept] = [await signIn(app, user), await signIn(app, user), await signIn(other, user)]
    const others = await signIn(app, await w.user())
    expect(await w.write((tx) => revokeApplication(tx, user.id, app.id), user)).toBe(true)
    expect(await statusWith(one.access_token)).toBe(401)
    expect((await refresh(app, two.refresh_token)).body.error).toBe('invalid_grant')
    expect([await statusWith(kept.access_token), await statusWith(others.access_token)]).toEqual([200, 200])
    const listed = await authorizedApplications(w.db, user.id, new Date().toISOString())
    expect(listed.map(({ id }) => id)).toEqual([other.id])
    expect((await factsAbout(app)).at(-1)).toBe('application revoked')
    expect(await w.write((tx) => revokeApplication(tx, user.id, app.id), user)).toBe(false)
  })
})

describe('the daily clean-up', () => {
  const job = () => ({
    ...w.running.services,
    log: createLog('silent'),
    attempt: 1,
    signal: new AbortController().signal,
    transact: <T>(work: Parameters<typeof w.write<T>>[0]) => w.write(work),
  })

  test('takes away what ended a day ago, and nothing that lives', async () => {
    const app = await application()
    const user = await w.user()
    w.clock.hold('2026-05-01T10:00:00Z')
    const { refresh_token } = await signIn(app, user)
    const ended = await signIn(app, user)
    await postAs(app, 'revoke', { token: ended.refresh_token })
    await postAs(app, 'authorize_device', {})
    const count = async () =>
      Promise.all(
        (['oauth_grants', 'oauth_access_tokens', 'oauth_device_codes'] as const).map(
          async (table) =>
            (await w.db.selectFrom(table).select('id').where('application_id', '=', app.id).execute()).length,
        ),
      )
    w.clock.hold('2026-05-02T09:00:00Z')
    await cleanUpOAuth.execute({}, job())
    expect(await count()).toEqual([2, 2, 1])
    w.clock.hold('2026-05-02T12:00:01Z')
    await cleanUpOAuth.execute({}, job())
    await cleanUpOAuth.execute({}, job())
    expect(await count()).toEqual([1, 0, 0])
    expect((await refresh(app, refresh_token)).status).toBe(200)
  })
})

test('no secret of OAuth stands in the log', async () => {
  const lines: string[] = []
  const log = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) })
  const node = await w.another(log)
  try {
    const path = '/oauth/token?client_secret=s3cret1&code=s3cret2&refresh_token=s3cret3&code_verifier=s3cret4'
    await fetch(`${node.url}${path}`, { method: 'POST' })
    await fetch(`${node.url}/oauth/device?user_code=s3cret5`, { redirect: 'manual' })
    await fetch(`${node.url}/oauth/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa('x:s3cret6')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', device_code: 's3cret7' }),
    })
  } finally {
    await node.stop()
  }
  expect(lines.join('')).toContain('/oauth/token')
  expect(lines.join('')).not.toContain('s3cret')
})
