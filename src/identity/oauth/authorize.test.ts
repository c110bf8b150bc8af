import { describe, expect, test } from 'vitest'
import { createApplication } from '#identity/applications/create-application.ts'
import { unique, w } from '#test/world.ts'
import {
  application,
  authorizePath,
  Browser,
  CALLBACK,
  consent,
  exchange,
  factsAbout,
  hiddenIn,
  sentTo,
  signIn,
} from './test-support.ts'

const CHALLENGE = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
const parametersOf = (url: URL) => Object.fromEntries(url.searchParams)

describe('GET /oauth/authorize', () => {
  test('sends visitors who are not signed in to sign in, and back', async () => {
    const path = authorizePath(await application())
    const { status, headers } = await w.anonymous.get(`${w.url}${path}`)
    expect(status).toBe(303)
    const where = new URL(headers.get('location') ?? '', w.url)
    expect([where.pathname, where.searchParams.get('return_to')]).toEqual(['/users/sign_in', path])
  })

  test('asks, naming the application, its owner and what it could do', async () => {
    const owner = await w.user({ name: 'Ada <b>Lovelace' })
    const app = await w.write((tx) =>
      createApplication(
        tx,
        { name: unique('<script>App'), redirect_uri: CALLBACK, scopes: 'api read_user' },
        { id: owner.id, admin: false },
      ),
    )
    const browser = await Browser.of(await w.user())
    const path = authorizePath({ ...app, client: { client_id: '' }, auth: () => {} }, { scope: 'read_user' })
    const { status, text, headers } = await browser.get(path)
    expect(status).toBe(200)
    expect(text).toContain('&lt;script&gt;App')
    expect(text).toContain('Ada &lt;b&gt;Lovelace')
    expect(text).toContain(`@${owner.username}`)
    expect(text).toContain('Read your profile')
    expect(text).not.toContain('Read and change everything')
    expect(text).toContain('app.example')
    expect(headers.get('cache-control')).toBe('no-store')
    const policy = headers.get('content-security-policy')
    expect(policy).toContain("form-action 'self' https:")
    expect(policy).toContain("frame-ancestors 'none'")
  })

  test.each([
    ['http://127.0.0.1:4000/done', "form-action 'self' http://127.0.0.1:4000 https:"],
    ['http://[::1]:4000/done', "form-action 'self' http: https:"],
    ['com.example.app:/done', "form-action 'self' com.example.app:"],
  ])('lets its form lead to %s', async (redirect_uri, policy) => {
    const app = await application({ redirect_uri, confidential: false })
    const page = await (
      await Browser.of(await w.user())
    ).get(authorizePath(app, { redirect_uri, ...CHALLENGE }))
    expect(page.headers.get('content-security-policy')?.split('; ').at(-1)).toBe(policy)
  })

  test('shows an error, and sends nobody anywhere, for wrong applications and redirect URIs', async () => {
    const app = await application()
    const browser = await Browser.of(await w.user())
    for (const changes of [
      { client_id: undefined },
      { client_id: 'unknown' },
      { redirect_uri: undefined },
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: `${CALLBACK}/` },
      { redirect_uri: `${CALLBACK}#` },
    ]) {
      const { status, headers, text } = await browser.get(authorizePath(app, changes))
      expect([changes, status, headers.get('location')]).toEqual([changes, 400, null])
      expect(text).toContain('<h1>')
    }
    const twice = await browser.get(`${authorizePath(app)}&redirect_uri=https%3A%2F%2Fevil.example`)
    expect([twice.status, twice.headers.get('location')]).toEqual([400, null])
  })

  test.each([
    [{ response_type: undefined }, 'invalid_request'],
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'invalid_request'],
    [{ scope: 'api write_repository' }, 'invalid_scope'],
    [{ scope: 'sudo' }, 'invalid_scope'],
    [{ code_challenge: 'x'.repeat(43) }, 'invalid_request'],
    [{ code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' }, 'invalid_request'],
    [{ code_challenge: 'short', code_challenge_method: 'S256' }, 'invalid_request'],
    [{ code_challenge_method: 'S256', code_challenge: undefined }, undefined],
  ])('tells the application of %o', async (changes, error) => {
    const answer = await (await Browser.of(await w.user())).get(authorizePath(await application(), changes))
    if (error === undefined) return expect(answer.status).toBe(200)
    expect(answer.status).toBe(302)
    const url = sentTo(answer)
    expect(`${url.origin}${url.pathname}`).toBe('https://app.example/callback')
    return expect(parametersOf(url)).toEqual({
      from: 'test',
      error,
      error_description: expect.any(String),
      state: 'the state',
      iss: w.url,
    })
  })

  test('sends nobody to an application that they never approved, to tell it of an error', async () => {
    const owner = await w.user()
    const app = await application({ scopes: 'api' }, { id: owner.id, admin: false })
    const user = await w.user()
    const browser = await Browser.of(user)
    const wrong = authorizePath(app, { scope: 'sudo' })
    const { status, headers, text } = await browser.get(wrong)
    expect([status, headers.get('location')]).toEqual([400, null])
    expect(text).toContain(app.name)
    expect(text).toContain('invalid_scope')
    expect(text).not.toContain('app.example')
    // Tampering with the form of the page is no way around it.
    const tampered = await browser.submit(await browser.get(authorizePath(app)), {
      decision: 'authorize',
      scope: 'sudo',
    })
    expect([tampered.status, tampered.headers.get('location')]).toEqual([400, null])
    // The page named where a refusal leads, and the user chose it.
    const denied = await browser.submit(await browser.get(authorizePath(app)), { decision: 'deny' })
    expect(sentTo(denied).searchParams.get('error')).toBe('access_denied')

    await consent(app, user)
    expect(sentTo(await browser.get(wrong)).searchParams.get('error')).toBe('invalid_scope')
    const other = await Browser.of(await w.user())
    expect((await other.get(wrong)).headers.get('location')).toBeNull()
    // What was approved ends with the authorization.
    await w.db
      .updateTable('oauth_grants')
      .set({ ends_at: w.clock.now().toISOString() })
      .where('application_id', '=', app.id)
      .execute()
    expect((await browser.get(wrong)).headers.get('location')).toBeNull()
  })

  test.each(['http://127.0.0.1:99999/done', 'http://localhost:65536/', 'http://[::1]:70000/done?a=b'])(
    'answers 400 for %s, a port that no machine has',
    async (redirect_uri) => {
      const app = await application({ confidential: false, redirect_uri: 'http://127.0.0.1/done' })
      const browser = await Browser.of(await w.user())
      const { status, headers } = await browser.get(authorizePath(app, { redirect_uri, ...CHALLENGE }))
      expect([status, headers.get('location')]).toEqual([400, null])
    },
  )

  test('needs PKCE of public applications', async () => {
    const app = await application({ confidential: false })
    const browser = await Browser.of(await w.user())
    expect(sentTo(await browser.get(authorizePath(app))).searchParams.get('error')).toBe('invalid_request')
    expect((await browser.get(authorizePath(app, CHALLENGE))).status).toBe(200)
  })

  test('without a scope asks for api, or for all that the application has', async () => {
    const user = await w.user()
    const wide = await consent(await application(), user, { scope: undefined })
    expect(wide.code).not.toBe('')
    const browser = await Browser.of(user)
    const page = await browser.get(authorizePath(await application(), { scope: undefined }))
    expect(hiddenIn(page)['scope']).toBe('api')
    const narrow = await application({ scopes: 'read_user read_api' })
    expect(hiddenIn(await browser.get(authorizePath(narrow, { scope: '' })))['scope']).toBe(
      'read_user read_api',
    )
  })

  test('leaves out what only administrators can hand on', async () => {
    const app = await application()
    const scopeFor = async (user: { id: number }) =>
      hiddenIn(await (await Browser.of(user)).get(authorizePath(app, { scope: 'api sudo' })))['scope']
    expect(await scopeFor(await w.user())).toBe('api')
    expect(await scopeFor(await w.user({ admin: true }))).toBe('api sudo')
  })

  test('does not ask again for confidential applications with as many scopes; always for public ones', async () => {
    const user = await w.user()
    const browser = await Browser.of(user)
    const app = await application()
    await signIn(app, user, 'read_api read_user')
    const again = await browser.get(authorizePath(app, { scope: 'read_user' }))
    expect([again.status, sentTo(again).searchParams.has('code')]).toEqual([302, true])
    expect((await browser.get(authorizePath(app, { scope: 'api' }))).status).toBe(200)
    expect((await (await Browser.of(await w.user())).get(authorizePath(app))).status).toBe(200)
    const open = await application({ confidential: false })
    await signIn(open, user)
    expect((await browser.get(authorizePath(open, CHALLENGE))).status).toBe(200)
  })

  test('a consent that came to nothing is none', async () => {
    const user = await w.user()
    const app = await application()
    await consent(app, user)
    expect((await (await Browser.of(user)).get(authorizePath(app))).status).toBe(200)
  })

  test('is not for those who may not sign in', async () => {
    const user = await w.user()
    const browser = await Browser.of(user)
    await w.db.updateTable('users').set({ state: 'blocked' }).where('id', '=', user.id).execute()
    const { status, text } = await browser.get(authorizePath(await application()))
    expect(status).toBe(403)
    expect(text).toContain('blocked')
  })
})

describe('POST /oauth/authorize', () => {
  test('sends back with a code, the state and the issuer', async () => {
    const app = await application()
    const browser = await Browser.of(await w.user())
    const answer = await browser.submit(await browser.get(authorizePath(app)), { decision: 'authorize' })
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([303, 'no-store'])
    const url = sentTo(answer)
    expect(url.href.startsWith(`${CALLBACK}&`)).toBe(true)
    expect(parametersOf(url)).toEqual({
      from: 'test',
      code: expect.stringMatching(/^[\w-]{43}$/),
      state: 'the state',
      iss: w.url,
    })
    expect(await factsAbout(app)).toEqual(['application created', 'application authorized'])
    const rows = await w.db
      .selectFrom('oauth_grants')
      .selectAll()
      .where('application_id', '=', app.id)
      .execute()
    expect(JSON.stringify(rows)).not.toContain(url.searchParams.get('code'))
  })

  test('or with the refusal of the user', async () => {
    const app = await application()
    const browser = await Browser.of(await w.user())
    for (const decision of ['deny', 'anything']) {
      const answer = await browser.submit(await browser.get(authorizePath(app)), { decision })
      expect(parametersOf(sentTo(answer))).toMatchObject({ error: 'access_denied', state: 'the state' })
    }
    expect(await factsAbout(app)).toEqual(['application created'])
  })

  test('hears only its own page', async () => {
    const app = await application()
    const browser = await Browser.of(await w.user())
    const fields = { ...hiddenIn(await browser.get(authorizePath(app))), decision: 'authorize' }
    const other = hiddenIn(await (await Browser.of(await w.user())).get(authorizePath(app)))
    for (const authenticity_token of ['', 'wrong', other['authenticity_token'] ?? '']) {
      const { status, headers } = await browser.post('/oauth/authorize', { ...fields, authenticity_token })
      expect([status, headers.get('location')]).toEqual([403, null])
    }
    expect((await browser.post('/oauth/authorize', fields)).status).toBe(303)
  })

  test('checks everything again', async () => {
    const app = await application({ confidential: false })
    const browser = await Browser.of(await w.user())
    const page = await browser.get(authorizePath(app, CHALLENGE))
    const evil = await browser.submit(page, {
      decision: 'authorize',
      redirect_uri: 'https://evil.example/',
    })
    expect([evil.status, evil.headers.get('location')]).toEqual([400, null])
    const wider = await browser.submit(page, { decision: 'authorize', scope: 'api sudo write_repository' })
    expect(sentTo(wider).searchParams.get('error')).toBe('invalid_scope')
    const bare = await browser.submit(page, { decision: 'authorize', code_challenge: '' })
    expect(sentTo(bare).searchParams.get('error')).toBe('invalid_request')
  })

  test('is refused at a port that is none', async () => {
    const app = await application({ confidential: false, redirect_uri: 'http://127.0.0.1/done' })
    const browser = await Browser.of(await w.user())
    for (const port of ['99999', '65536']) {
      const redirect_uri = `http://127.0.0.1:${port}/done`
      const { status } = await browser.get(authorizePath(app, { ...CHALLENGE, redirect_uri }))
      expect(status).toBe(400)
    }
  })

  test('for a public application on the own machine, with whatever port', async () => {
    const app = await application({ confidential: false, redirect_uri: 'http://127.0.0.1/done' })
    const redirect_uri = 'http://127.0.0.1:53682/done'
    const { code, verifier, callback } = await consent(app, await w.user(), { redirect_uri })
    expect(callback.origin).toBe('http://127.0.0.1:53682')
    const other = await exchange(app, code, {
      redirect_uri: 'http://127.0.0.1/done',
      code_verifier: verifier,
    })
    expect(other.body.error).toBe('invalid_grant')
    const fresh = await consent(app, await w.user(), { redirect_uri })
    const answer = await exchange(app, fresh.code, { redirect_uri, code_verifier: fresh.verifier })
    expect(answer.status).toBe(200)
  })
})

test('whatever a page is sent, it answers with a page or sends back', async () => {
  const app = await application()
  const browser = await Browser.of(await w.user())
  const fields = hiddenIn(await browser.get(authorizePath(app)))
  const values = ['\0', '\uD800', '💥'.repeat(900), 'a b\r\nset-cookie: x', '[]', '%zz', "'; --", '\\']
  for (const name of ['client_id', 'redirect_uri', 'scope', 'state', 'code_challenge', 'response_type']) {
    for (const value of values) {
      const read = await browser.get(authorizePath(app, { [name]: value }))
      const sent = await browser.post('/oauth/authorize', { ...fields, decision: 'authorize', [name]: value })
      for (const { status, headers } of [read, sent]) {
        expect([200, 302, 303, 400, 414]).toContain(status)
        expect(headers.get('location') ?? CALLBACK).toMatch(/^https:\/\/app\.example\/callback\?from=test/)
        expect(headers.get('set-cookie')).toBeNull()
      }
    }
  }
  for (const user_code of values.slice(0, 5)) {
    const { authenticity_token = '' } = fields
    expect((await browser.post('/oauth/device', { authenticity_token, user_code })).status).toBeLessThan(500)
  }
})
