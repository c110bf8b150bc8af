import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import {
  application,
  CALLBACK,
  consent,
  discover,
  exchange,
  factsAbout,
  options,
  post,
  postAs,
  refresh,
  signIn,
  statusWith,
} from './test-support.ts'

const at = (moment: string) => w.clock.hold(moment)
const basic = (uid: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${uid}:${secret}`).toString('base64')}`,
})

describe('the authorization code grant', () => {
  test('gives a standard client tokens of the known shape', async () => {
    at('2026-05-01T10:00:00.700Z')
    const app = await application()
    const { code, verifier } = await consent(app, await w.user(), { scope: 'read_user api' })
    const { status, headers, body } = await exchange(app, code, { code_verifier: verifier })
    expect(status).toBe(200)
    expect(body).toEqual({
      access_token: expect.stringMatching(/^gloat-[\w-]{43}$/),
      token_type: 'Bearer',
      expires_in: 7200,
      refresh_token: expect.stringMatching(/^glort-[\w-]{32}\.[\w-]{32}$/),
      scope: 'read_user api',
      created_at: Date.parse('2026-05-01T10:00:00Z') / 1000,
    })
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.has('access-control-allow-origin')).toBe(false)
    const rows = [
      await w.db.selectFrom('oauth_grants').selectAll().execute(),
      await w.db.selectFrom('oauth_access_tokens').selectAll().execute(),
    ]
    const kept = JSON.stringify(rows)
    for (const secret of [code, body.access_token, body.refresh_token]) expect(kept).not.toContain(secret)
  })

  test.each([true, false])('through a standard library; confidential: %s', async (confidential) => {
    const user = await w.user()
    const tokens = await signIn(await application({ confidential }), user)
    const me = await w.anonymous.with({ authorization: `Bearer ${tokens.access_token}` }).get('/user')
    expect(me.body.id).toBe(user.id)
  })

  test('through the library with the secret in the body', async () => {
    const app = await application()
    app.auth = oauth.ClientSecretPost(app.secret)
    expect((await signIn(app, await w.user())).expires_in).toBe(7200)
  })

  test('takes JSON as well as a form', async () => {
    const app = await application()
    const { code, verifier: code_verifier } = await consent(app, await w.user())
    const json = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier }
    const { status } = await w.anonymous.send('POST', `${w.url}/oauth/token`, {
      json: { ...json, client_id: app.uid, client_secret: app.secret },
    })
    expect(status).toBe(200)
  })

  test('without PKCE works for confidential applications only while no verifier is sent', async () => {
    const app = await application()
    const bare = { code_challenge: undefined, code_challenge_method: undefined }
    const first = await consent(app, await w.user(), bare)
    expect((await exchange(app, first.code)).status).toBe(200)
    const second = await consent(app, await w.user(), bare)
    expect((await exchange(app, second.code, { code_verifier: second.verifier })).body.error).toBe(
      'invalid_grant',
    )
  })

  test.each([
    ['a wrong verifier', { code_verifier: 'x'.repeat(43) }],
    ['a verifier that cannot be one', { code_verifier: 'short' }],
    ['no verifier', { code_verifier: '' }],
    ['another redirect URI', { redirect_uri: 'https://app.example/callback' }],
    ['no redirect URI', { redirect_uri: '' }],
  ])('refuses %s, and then the code is used up', async (_, wrong) => {
    const app = await application({ confidential: false })
    const { code, verifier: code_verifier } = await consent(app, await w.user())
    const refused = await exchange(app, code, { code_verifier, ...wrong })
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'invalid_grant', error_description: expect.any(String) },
    })
    expect((await exchange(app, code, { code_verifier })).body.error).toBe('invalid_grant')
  })

  test('a code that is used again ends the tokens made from it', async () => {
    const app = await application()
    const { code, verifier: code_verifier } = await consent(app, await w.user())
    const { body } = await exchange(app, code, { code_verifier })
    const other = await signIn(app, await w.user())
    // Whoever only saw the code cannot sign anybody out.
    expect((await exchange(app, code, { code_verifier: 'x'.repeat(43) })).status).toBe(400)
    expect(await statusWith(body.access_token)).toBe(200)
    expect((await exchange(app, code, { code_verifier })).body.error).toBe('invalid_grant')
    expect(await statusWith(body.access_token)).toBe(401)
    expect((await refresh(app, body.refresh_token)).body.error).toBe('invalid_grant')
    expect(await statusWith(other.access_token)).toBe(200)
    await exchange(app, code, { code_verifier })
    const reuses = (await factsAbout(app)).filter((name) => name === 'OAuth token reuse refused')
    expect(reuses).toHaveLength(1)
  })

  test('of 50 exchanges at the same time one wins, and what it won ends', { timeout: 180_000 }, async () => {
    const app = await application()
    const { code, verifier: code_verifier } = await consent(app, await w.user())
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => exchange(app, code, { code_verifier })),
    )
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body.error))).toEqual(new Set([undefined, 'invalid_grant']))
    expect(await statusWith(won[0]?.body.access_token)).toBe(401)
  })

  test('a code is for its application alone, and lives for five minutes', async () => {
    const app = await application()
    at('2026-05-01T10:00:00Z')
    const { code, verifier: code_verifier } = await consent(app, await w.user())
    const stolen = await exchange(await application(), code, { code_verifier })
    expect(stolen.body.error).toBe('invalid_grant')
    at('2026-05-01T10:05:00Z')
    expect((await exchange(app, code, { code_verifier })).body.error).toBe('invalid_grant')
    at('2026-05-01T10:04:59.999Z')
    expect((await exchange(app, code, { code_verifier })).status).toBe(200)
  })

  test('gives nothing for a user who was blocked meanwhile', async () => {
    const app = await application()
    const user = await w.user()
    const { code, verifier: code_verifier } = await consent(app, user)
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
    expect((await exchange(app, code, { code_verifier })).body.error).toBe('invalid_grant')
  })
})

describe('the refresh token grant', () => {
  test('puts new tokens in the place of the old ones, which end in the same moment', async () => {
    const app = await application()
    const old = await signIn(app, await w.user())
    const as = await discover()
    const answer = await oauth.refreshTokenGrantRequest(as, app.client, app.auth, old.refresh_token, options)
    const fresh = await oauth.processRefreshTokenResponse(as, app.client, answer)
    expect([await statusWith(old.access_token), await statusWith(fresh.access_token)]).toEqual([401, 200])
    expect(fresh).toMatchObject({ expires_in: 7200, scope: 'api', created_at: expect.any(Number) })
    expect((await refresh(app, fresh.refresh_token ?? '')).status).toBe(200)
  })

  test('public applications use it without a secret', async () => {
    const app = await application({ confidential: false })
    const { refresh_token } = await signIn(app, await w.user())
    expect((await refresh(app, refresh_token)).status).toBe(200)
  })

  test('a stolen one: the second to use it ends all that came of the consent', async () => {
    const app = await application()
    const first = await signIn(app, await w.user())
    const thief = await refresh(app, first.refresh_token)
    const owner = await refresh(app, first.refresh_token)
    expect(owner).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect(await statusWith(thief.body.access_token)).toBe(401)
    expect((await refresh(app, thief.body.refresh_token)).body.error).toBe('invalid_grant')
    expect(await factsAbout(app)).toContain('OAuth token reuse refused')
  })

  test('one from long ago is recognized, too', async () => {
    const app = await application()
    const first = await signIn(app, await w.user())
    let last = first.refresh_token
    for (let round = 0; round < 5; round += 1) last = (await refresh(app, last)).body.refresh_token
    expect((await refresh(app, first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(app, last)).body.error).toBe('invalid_grant')
  })

  test('of 50 at the same time one wins, and what it won ends', { timeout: 180_000 }, async () => {
    const app = await application()
    const { refresh_token } = await signIn(app, await w.user())
    const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(app, refresh_token)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body.error))).toEqual(new Set([undefined, 'invalid_grant']))
    expect(await statusWith(won[0]?.body.access_token)).toBe(401)
    expect((await refresh(app, won[0]?.body.refresh_token)).status).toBe(400)
  })

  test('is for its application alone, and another one that shows it ends nothing', async () => {
    const app = await application()
    const { refresh_token } = await signIn(app, await w.user())
    expect((await refresh(await application(), refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(app, refresh_token)).status).toBe(200)
  })

  test('may ask for less, which does not bind the next; never for more', async () => {
    const app = await application()
    const { refresh_token } = await signIn(app, await w.user(), 'read_user read_api')
    const more = await refresh(app, refresh_token, { scope: 'api' })
    expect(more).toMatchObject({ status: 400, body: { error: 'invalid_scope' } })
    const less = await refresh(app, refresh_token, { scope: 'read_user' })
    expect(less.body.scope).toBe('read_user')
    const all = await refresh(app, less.body.refresh_token)
    expect(all.body.scope).toBe('read_user read_api')
  })

  test('ends when it is not used for half a year', async () => {
    at('2026-01-01T00:00:00Z')
    const app = await application()
    const { refresh_token } = await signIn(app, await w.user())
    at('2026-06-29T23:59:59Z')
    const { body } = await refresh(app, refresh_token)
    at('2026-12-26T23:59:59Z')
    expect((await refresh(app, body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('waits while its user is blocked', async () => {
    const app = await application()
    const user = await w.user()
    const { refresh_token, access_token } = await signIn(app, user)
    const become = (state: 'active' | 'blocked') =>
      w.db.updateTable('users').set({ state }).where('id', '=', user.id).execute()
    await become('blocked')
    expect(await statusWith(access_token)).toBe(403)
    expect((await refresh(app, refresh_token)).body.error).toBe('invalid_grant')
    await become('active')
    expect((await refresh(app, refresh_token)).status).toBe(200)
  })

  test('what cannot be one is refused', async () => {
    const app = await application()
    for (const token of ['x', 'glort-x', `glort-${'x'.repeat(32)}.${'y'.repeat(32)}`]) {
      expect((await refresh(app, token)).body.error).toBe('invalid_grant')
    }
  })
})

describe('the client credentials grant', () => {
  test('gives an application a token without a user, which the API refuses', async () => {
    const app = await application()
    const as = await discover()
    const answer = await oauth.clientCredentialsGrantRequest(
      as,
      app.client,
      app.auth,
      { scope: 'read_api' },
      options,
    )
    const token = await oauth.processClientCredentialsResponse(as, app.client, answer)
    expect(token).toMatchObject({ scope: 'read_api', expires_in: 7200, token_type: 'bearer' })
    expect(token).not.toHaveProperty('refresh_token')
    expect(await statusWith(token.access_token)).toBe(401)
  })

  test('is not for public applications', async () => {
    const app = await application({ confidential: false })
    expect(await postAs(app, 'token', { grant_type: 'client_credentials' })).toMatchObject({
      status: 400,
      body: { error: 'unauthorized_client' },
    })
  })

  test('gives no scope that the application does not have', async () => {
    const asked = { grant_type: 'client_credentials', scope: 'write_repository' }
    expect((await postAs(await application(), 'token', asked)).body.error).toBe('invalid_scope')
  })
})

describe('POST /oauth/token refuses', () => {
  const grant = { grant_type: 'client_credentials' }

  test('clients that do not prove who they are, with 401 and a challenge', async () => {
    const { uid, secret } = await application()
    for (const [form, headers] of [
      [grant, {}],
      [{ ...grant, client_id: uid }, {}],
      [{ ...grant, client_id: uid, client_secret: 'wrong' }, {}],
      [{ ...grant, client_id: 'unknown', client_secret: secret }, {}],
      [grant, basic(uid, 'wrong')],
      [grant, basic(uid, '')],
      [grant, { authorization: 'Basic %%%' }],
      [grant, { authorization: `Bearer ${secret}` }],
    ] as const) {
      const answer = await post('token', form, headers)
      expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
      expect(answer.headers.get('www-authenticate')).toMatch(/^Basic realm=/)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect((await post('token', grant, basic(uid, secret))).status).toBe(200)
  })

  test('public applications that send a wrong secret all the same', async () => {
    const app = await application({ confidential: false })
    const { status } = await post('token', { ...grant, client_id: app.uid, client_secret: 'wrong' })
    expect(status).toBe(401)
  })

  test('two ways of proving it at once', async () => {
    const { uid, secret } = await application()
    for (const more of [{ client_secret: secret }, { client_id: 'other' }]) {
      const answer = await post('token', { ...grant, ...more }, basic(uid, secret))
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    }
  })

  test('credentials and parameters in the query', async () => {
    const { uid, secret } = await application()
    const query = new URLSearchParams({ ...grant, client_id: uid, client_secret: secret })
    const answer = await w.anonymous.send('POST', `${w.url}/oauth/token?${query.toString()}`)
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test('parameters that are missing, twice there, or no text', async () => {
    const app = await application()
    const own = { client_id: app.uid, client_secret: app.secret }
    const send = (sending: object) => w.anonymous.send('POST', `${w.url}/oauth/token`, sending)
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    for (const answer of [
      await postAs(app, 'token', {}),
      await postAs(app, 'token', { grant_type: '' }),
      await postAs(app, 'token', { grant_type: 'authorization_code' }),
      await postAs(app, 'token', { grant_type: 'refresh_token' }),
      await send({
        form: `${new URLSearchParams({ ...grant, ...own }).toString()}&scope=api&scope=sudo`,
        ...form,
      }),
      await send({ json: { ...grant, ...own, scope: ['api'] } }),
      await send({ json: { ...grant, ...own, client_secret: { a: 1 } } }),
      await send({ form: '{"grant_type":', headers: { 'content-type': 'application/json' } }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
      expect(answer.body.error_description).toMatch(/^[\x20\x21\x23-\x5B\x5D-\x7E]+$/)
    }
  })

  test('grants that are not offered', async () => {
    const app = await application()
    for (const grant_type of ['password', 'implicit', 'urn:ietf:params:oauth:grant-type:jwt-bearer']) {
      const answer = await postAs(app, 'token', { grant_type, username: 'root', password: 'x' })
      expect(answer).toMatchObject({ status: 400, body: { error: 'unsupported_grant_type' } })
    }
  })

  test('other methods', async () => {
    expect((await w.anonymous.get(`${w.url}/oauth/token`)).status).toBe(405)
  })
})
