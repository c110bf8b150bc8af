import * as oauth from 'oauth4webapi'
import { describe, expect, test } from 'vitest'
import { w } from '#test/world.ts'
import {
  application,
  Browser,
  discover,
  factsAbout,
  hiddenIn,
  options,
  postAs,
  refresh,
  statusWith,
  type TestApplication,
} from './test-support.ts'

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code'
const begin = async (app: TestApplication, scope = 'api') =>
  (await postAs(app, 'authorize_device', { scope })).body
const poll = (app: TestApplication, device_code: string) =>
  postAs(app, 'token', { grant_type: GRANT, device_code })

/** Enters the code on the page and decides. */
async function decide(user: { id: number }, user_code: string, decision: string) {
  const browser = await Browser.of(user)
  const question = await browser.submit(await browser.get('/oauth/device'), { user_code })
  return question.status === 200 ? browser.submit(question, { decision }) : question
}

describe('the device authorization grant', () => {
  test.each([true, false])(
    'signs a device in, through a standard library; confidential: %s',
    async (confidential) => {
      const app = await application({ confidential })
      const user = await w.user()
      const as = await discover()
      const begun = await oauth.processDeviceAuthorizationResponse(
        as,
        app.client,
        await oauth.deviceAuthorizationRequest(as, app.client, app.auth, { scope: 'read_user' }, options),
      )
      expect(begun).toEqual({
        device_code: expect.stringMatching(/^[\w-]{43}$/),
        user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verification_uri: `${w.url}/oauth/device`,
        verification_uri_complete: `${w.url}/oauth/device?user_code=${begun.user_code}`,
        expires_in: 600,
        interval: 5,
      })
      const ask = () => oauth.deviceCodeGrantRequest(as, app.client, app.auth, begun.device_code, options)
      await expect(oauth.processDeviceCodeResponse(as, app.client, await ask())).rejects.toMatchObject({
        error: 'authorization_pending',
      })
      const done = await decide(user, begun.user_code, 'authorize')
      expect(done.text).toContain('Connected')
      const tokens = await oauth.processDeviceCodeResponse(as, app.client, await ask())
      expect(tokens).toMatchObject({ scope: 'read_user', expires_in: 7200 })
      const me = await w.anonymous.with({ authorization: `Bearer ${tokens.access_token}` }).get('/user')
      expect(me.body.id).toBe(user.id)
      expect((await refresh(app, tokens.refresh_token ?? '')).status).toBe(200)
      expect(await factsAbout(app)).toEqual(['application created', 'application authorized'])
    },
  )

  test('keeps only digests of its codes', async () => {
    const { device_code, user_code } = await begin(await application())
    const kept = JSON.stringify(await w.db.selectFrom('oauth_device_codes').selectAll().execute())
    expect(kept).not.toContain(device_code)
    expect(kept).not.toContain(user_code.replace('-', ''))
  })

  test('tells whoever asks too soon to slow down, and to wait longer from then on', async () => {
    const app = await application()
    const { device_code } = await begin(app)
    const start = Date.now()
    const askAfter = async (seconds: number) => {
      w.clock.hold(new Date(start + seconds * 1000).toISOString())
      const { status, body } = await poll(app, device_code)
      expect(status).toBe(400)
      return body.error
    }
    expect(await askAfter(0)).toBe('authorization_pending')
    expect(await askAfter(5)).toBe('authorization_pending')
    expect(await askAfter(9)).toBe('slow_down')
    expect(await askAfter(15)).toBe('slow_down')
    expect(await askAfter(30)).toBe('authorization_pending')
  })

  test('says when the user refused', async () => {
    const app = await application()
    const { device_code, user_code } = await begin(app)
    expect((await decide(await w.user(), user_code, 'deny')).text).toContain('Refused')
    expect((await poll(app, device_code)).body.error).toBe('access_denied')
    // A decision is final.
    expect((await decide(await w.user(), user_code, 'authorize')).text).toContain('wrong or has expired')
  })

  test('ends after ten minutes, decided or not', async () => {
    w.clock.hold('2026-05-01T10:00:00Z')
    const app = await application()
    const user = await w.user()
    const [waiting, decided] = [await begin(app), await begin(app)]
    w.clock.hold('2026-05-01T10:09:59Z')
    expect((await decide(user, decided.user_code, 'authorize')).text).toContain('Connected')
    w.clock.hold('2026-05-01T10:10:00Z')
    expect((await decide(user, waiting.user_code, 'authorize')).text).toContain('wrong or has expired')
    for (const { device_code } of [waiting, decided]) {
      expect((await poll(app, device_code)).body.error).toBe('expired_token')
    }
  })

  test('of 20 questions at the same time one gets tokens, and what it got ends', async () => {
    const app = await application()
    const { device_code, user_code } = await begin(app)
    await decide(await w.user(), user_code, 'authorize')
    const answers = await Promise.all(Array.from({ length: 20 }, () => poll(app, device_code)))
    const won = answers.filter(({ status }) => status === 200)
    expect(won).toHaveLength(1)
    expect(await statusWith(won[0]?.body.access_token)).toBe(401)
    expect(await factsAbout(app)).toContain('OAuth token reuse refused')
  })

  test('answers only the application that began', async () => {
    const app = await application()
    const { device_code } = await begin(app)
    expect((await poll(await application(), device_code)).body.error).toBe('invalid_grant')
    expect((await poll(app, 'unknown')).body.error).toBe('invalid_grant')
    expect((await postAs(app, 'token', { grant_type: GRANT })).body.error).toBe('invalid_request')
  })

  test('begins only for known applications and their scopes', async () => {
    const app = await application()
    expect((await postAs(app, 'authorize_device', { scope: 'write_repository' })).body.error).toBe(
      'invalid_scope',
    )
    const { status, body } = await postAs({ ...app, secret: 'wrong' }, 'authorize_device', {})
    expect([status, body.error]).toEqual([401, 'invalid_client'])
  })
})

describe('the device page', () => {
  test('fills in the code of the address, and looks nothing up before somebody says it is theirs', async () => {
    const { user_code } = await begin(await application())
    const browser = await Browser.of(await w.user())
    const page = await browser.get(`/oauth/device?user_code=${user_code}`)
    expect(page.status).toBe(200)
    expect(page.text).toContain(`value="${user_code}"`)
    const hostile = await browser.get('/oauth/device?user_code=%22%3E%3Cscript%3E')
    expect(hostile.text).toContain('value="&quot;&gt;&lt;script&gt;"')
  })

  test('asks, with the application, its scopes and the code to compare', async () => {
    const app = await application()
    const { user_code } = await begin(app, 'read_user')
    const browser = await Browser.of(await w.user())
    const typed = user_code.toLowerCase().replace('-', ' ')
    const page = await browser.submit(await browser.get('/oauth/device'), { user_code: typed })
    for (const part of [app.name, 'Read your profile', user_code]) expect(page.text).toContain(part)
    expect(hiddenIn(page)['user_code']).toBe(user_code)
  })

  test('is for people who are signed in, and hears only its own form', async () => {
    const { user_code } = await begin(await application())
    const away = await w.anonymous.get(`${w.url}/oauth/device?user_code=${user_code}`)
    expect(away.status).toBe(303)
    expect(away.headers.get('location')).toContain(encodeURIComponent(user_code))
    const browser = await Browser.of(await w.user())
    expect((await browser.post('/oauth/device', { user_code, decision: 'authorize' })).status).toBe(403)
  })

  test('takes ten wrong codes in a quarter of an hour, and a right one in between does not help', async () => {
    w.clock.hold('2026-05-01T10:00:00Z')
    const app = await application()
    const user = await w.user()
    const browser = await Browser.of(user)
    const page = await browser.get('/oauth/device')
    const enter = async (user_code: string) => (await browser.submit(page, { user_code })).status
    for (const wrong of ['', 'x', 'BBBB', 'AEIO-AEIO', 'BBBB-BBBB']) expect(await enter(wrong)).toBe(422)
    expect(await enter((await begin(app)).user_code)).toBe(200)
    const more = await Promise.all(Array.from({ length: 20 }, () => enter('not a code')))
    expect(more.filter((status) => status === 422)).toHaveLength(5)
    expect(more.filter((status) => status === 429)).toHaveLength(15)
    const { user_code } = await begin(app)
    expect(await enter(user_code)).toBe(429)
    expect((await decide(await w.user(), user_code, 'authorize')).text).toContain('Connected')
    w.clock.hold('2026-05-01T10:15:00.001Z')
    expect(await enter((await begin(app)).user_code)).toBe(200)
  })

  test('lets nobody allow what only administrators can', async () => {
    const { user_code } = await begin(await application(), 'sudo')
    const browser = await Browser.of(await w.user())
    const page = await browser.submit(await browser.get('/oauth/device'), { user_code })
    expect(page.status).toBe(403)
  })
})
