import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { UserState } from '#platform/db/schema.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { person, signedIn, Visitor } from '#test/visitor.ts'
import { unique, w } from '#test/world.ts'

/** All tests come from one address. */
beforeEach(() => w.running.services.limits.forget())

const here = () => new Visitor(w.url)
const WRONG = 'Invalid login or password.'

const facts = (name: string, userId: number | null) =>
  w.db
    .selectFrom('facts')
    .selectAll()
    .where('name', '=', name)
    .where('target_id', 'is not distinct from', userId)
    .execute()

describe('signing in', () => {
  test('takes the username or the e-mail address, whatever the case of its letters', async () => {
    const { username, email, password, id } = await person(w)
    for (const login of [username, username.toUpperCase(), email, ` ${email.toUpperCase()} `]) {
      const visitor = here()
      const answer = await visitor.signIn(login, password)
      expect(answer).toMatchObject({ status: 303, headers: { location: '/' } })
      const cookie = `_service_session=${visitor.cookies.get('_service_session')}`
      expect((await w.anonymous.with({ cookie }).get('/user')).body.id).toBe(id)
    }
  })

  test('gives a cookie that scripts and other sites cannot use, for as long as the session lasts', async () => {
    const { username, password } = await person(w)
    const { headers } = await here().signIn(username, password)
    const [cookie = '', ...others] = headers['set-cookie'] ?? []
    expect(others).toEqual([])
    expect(cookie).toMatch(/^_service_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; SameSite=Lax$/)
  })

  test('begins a new session each time, and ends the one that the browser had', async () => {
    const { visitor, username, password } = await signedIn(w)
    const before = visitor.cookies.get('_service_session') ?? ''
    const form = { login: username, password }
    expect((await visitor.submit('/', '/users/sign_in', form)).status).toBe(303)
    const after = visitor.cookies.get('_service_session')
    expect(after).not.toBe(before)
    const old = w.anonymous.with({ cookie: `_service_session=${before}` })
    expect((await old.get('/user')).status).toBe(401)
  })

  test('never takes over a session that the browser was given beforehand', async () => {
    const { username, password } = await person(w)
    const visitor = here()
    visitor.cookies.set('_service_session', 'chosen-by-somebody-else')
    await visitor.signIn(username, password)
    expect(visitor.cookies.get('_service_session')).not.toBe('chosen-by-somebody-else')
  })

  test('keeps when somebody signed in, and how often', async () => {
    const { id, username, password } = await person(w)
    w.clock.hold('2030-05-01T08:00:00.000Z')
    await here().signIn(username, password)
    const first = (await w.root.get(`/users/${id}`)).body
    expect(first).toMatchObject({
      sign_in_count: 1,
      current_sign_in_at: '2030-05-01T08:00:00.000Z',
      last_sign_in_at: '2030-05-01T08:00:00.000Z',
    })
    w.clock.hold('2030-05-02T08:00:00.000Z')
    await here().signIn(username, password)
    expect((await w.root.get(`/users/${id}`)).body).toMatchObject({
      sign_in_count: 2,
      current_sign_in_at: '2030-05-02T08:00:00.000Z',
      last_sign_in_at: '2030-05-01T08:00:00.000Z',
    })
    expect(await facts('session started', id)).toMatchObject([
      { actor_id: id },
      { actor_id: id, ip: '127.0.0.1' },
    ])
  })

  test('lasts as long as the settings say, to the moment', async () => {
    const { username, password } = await person(w)
    await w.write((tx) => changeSettings(tx, { session_expire_delay: 5 }))
    await w.running.services.settingsView.reload()
    w.clock.hold('2030-05-01T08:00:00.000Z')
    const visitor = here()
    const { headers } = await visitor.signIn(username, password)
    expect(headers['set-cookie']?.[0]).toContain('Max-Age=300;')
    w.clock.hold('2030-05-01T08:04:59.999Z')
    expect((await visitor.get('/')).status).toBe(200)
    w.clock.hold('2030-05-01T08:05:00.000Z')
    expect((await visitor.get('/')).status).toBe(303)
    await w.write((tx) => changeSettings(tx, { session_expire_delay: 10_080 }))
    await w.running.services.settingsView.reload()
  })
})

describe('signing in is refused', () => {
  test('in the same words for a wrong password, an unknown name, and somebody without a password', async () => {
    const { username } = await person(w)
    const without = await w.user()
    const answers = []
    for (const login of [username, unique('nobody'), without.username]) {
      const { status, text } = await here().signIn(login, 'wrong password')
      answers.push(text.replaceAll(login, 'LOGIN'))
      expect({ status, says: text.includes(WRONG) }).toEqual({ status: 422, says: true })
    }
    expect(new Set(answers).size).toBe(1)
  })

  test('after the same work for unknown names', async () => {
    const { username } = await person(w)
    const timed = async (login: string) => {
      const start = performance.now()
      await here().signIn(login, 'wrong password')
      return performance.now() - start
    }
    let [known, unknown] = [Infinity, Infinity]
    // By turns, so that what else the machine does meets both.
    for (let count = 0; count < 6; count += 1) {
      known = Math.min(known, await timed(username))
      unknown = Math.min(unknown, await timed(unique('nobody')))
    }
    // Without a password to check the answer would come in a fraction of the time.
    expect(unknown).toBeGreaterThan(known / 3)
  })

  test('and recorded, with the name of an account and not with what else was typed', async () => {
    const { id, username } = await person(w)
    await here().signIn(username, 'wrong password')
    expect(await facts('sign-in refused', id)).toMatchObject([
      { actor_id: null, details: { login: username }, ip: '127.0.0.1' },
    ])
    await here().signIn('my secret password', 'oops')
    const unknown = await facts('sign-in refused', null)
    expect(unknown.at(-1)).toMatchObject({ details: { login: null } })
    expect(JSON.stringify(unknown)).not.toContain('my secret password')
  })

  test.each([
    ['blocked', 'Your account has been blocked.'],
    ['banned', 'Your account has been blocked.'],
    ['blocked_pending_approval', 'Your account is pending approval from your administrator.'],
  ] satisfies [UserState, string][])(
    'when somebody is %s; only who knows the password is told',
    async (state, says) => {
      const { id, username, password } = await person(w)
      await w.db.updateTable('users').set({ state }).where('id', '=', id).execute()
      const right = await here().signIn(username, password)
      expect(right.status).toBe(422)
      expect(right.headers['set-cookie']).toBeUndefined()
      expect(right.text).toContain(says)
      const wrong = await here().signIn(username, 'wrong password')
      expect(wrong.text).toContain(WRONG)
      expect(wrong.text).not.toContain(says)
    },
  )

  test('while somebody is being blocked: no session is left for the day that they are unblocked', async () => {
    const { id, username, password } = await person(w)
    const visitors = [here(), here(), here(), here()]
    await Promise.all([
      ...visitors.map((visitor) => visitor.signIn(username, password)),
      w.root.post(`/users/${id}/block`),
    ])
    await w.root.post(`/users/${id}/unblock`)
    for (const visitor of visitors) expect((await visitor.get('/')).status).toBe(303)
  })

  test('for bots, even with a password', async () => {
    const { username, password } = await person(w, { kind: 'bot' })
    expect((await here().signIn(username, password)).text).toContain('This account cannot sign in.')
  })

  test('but not for who was deactivated: they are active again', async () => {
    const { id, username, password } = await person(w)
    await w.db.updateTable('users').set({ state: 'deactivated' }).where('id', '=', id).execute()
    expect((await here().signIn(username, 'wrong password')).status).toBe(422)
    expect((await w.root.get(`/users/${id}`)).body.state).toBe('deactivated')
    expect((await here().signIn(username, password)).status).toBe(303)
    expect((await w.root.get(`/users/${id}`)).body.state).toBe('active')
    expect(await facts('user activated', id)).toHaveLength(1)
  })

  test('when the account is deleted', async () => {
    const { id, username, password } = await person(w)
    await w.root.delete(`/users/${id}`)
    expect((await here().signIn(username, password)).text).toContain(WRONG)
  })

  test('without name or password, which are named beside their fields', async () => {
    const { status, text } = await here().signIn(' ', '')
    expect(status).toBe(422)
    expect(text).toMatch(/id="login-problem">\s*Username or e-mail address is empty\./)
    expect(text).toMatch(/name="password"[^>]*aria-describedby="password-problem"/)
    expect((await here().post('/users/sign_in')).status).toBe(400)
  })

  test.each([
    ['with NUL', { login: 'a\0b', password: 'x' }, 422],
    ['too long', { login: 'x'.repeat(300), password: 'x' }, 422],
    ['with a long password', { login: 'x', password: 'x'.repeat(50_000) }, 422],
    ['with an endless password', { login: 'x', password: 'x'.repeat(100_000) }, 413],
    ['with lists', { 'login[]': 'x', 'password[a]': 'y' }, 422],
  ])('%s, without a server error', async (_, fields, status) => {
    expect((await here().post('/users/sign_in', fields as Record<string, string>)).status).toBe(status)
  })
})

describe('forms of other sites', () => {
  test.each([
    ['by Sec-Fetch-Site', { 'sec-fetch-site': 'cross-site' }],
    ['also those of a neighbouring host', { 'sec-fetch-site': 'same-site' }],
    ['by Origin', { origin: 'https://evil.example' }],
    ['of a sandbox', { origin: 'null' }],
  ])('sign nobody in: %s', async (_, headers: Record<string, string>) => {
    const { username, password } = await person(w)
    const answer = await here().post('/users/sign_in', { login: username, password }, headers)
    expect(answer.status).toBe(403)
    expect(answer.headers['set-cookie']).toBeUndefined()
  })

  test('own ones are heard', async () => {
    const { username, password } = await person(w)
    const own: Record<string, string>[] = [{ origin: w.url }, { 'sec-fetch-site': 'same-origin' }]
    for (const headers of own) {
      const answer = await here().post('/users/sign_in', { login: username, password }, headers)
      expect(answer.status).toBe(303)
    }
  })
})

describe('signing out', () => {
  test('ends the session and takes the cookies away', async () => {
    const { visitor } = await signedIn(w)
    const secret = visitor.cookies.get('_service_session')
    const answer = await visitor.submit('/', '/users/sign_out')
    expect(answer).toMatchObject({ status: 303, headers: { location: '/users/sign_in' } })
    expect(answer.headers['set-cookie']).toEqual([
      expect.stringMatching(/^_service_session=; Max-Age=0;/),
      expect.stringMatching(/^_gitlab_session=; Max-Age=0;/),
    ])
    const client = w.anonymous.with({ cookie: `_service_session=${secret}` })
    expect((await client.get('/user')).status).toBe(401)
  })

  test('takes the token of the form, so that no other site signs anybody out', async () => {
    const { visitor } = await signedIn(w)
    expect((await visitor.post('/users/sign_out')).status).toBe(403)
    expect((await visitor.post('/users/sign_out', { authenticity_token: 'guessed' })).status).toBe(403)
    expect((await visitor.get('/')).status).toBe(200)
  })

  test('leads where the administrators say', async () => {
    const leads = async (after_sign_out_path: string | null) => {
      await w.write((tx) => changeSettings(tx, { after_sign_out_path }))
      await w.running.services.settingsView.reload()
      return (await here().post('/users/sign_out')).headers.location
    }
    expect(await leads('https://intranet.example/bye')).toBe('https://intranet.example/bye')
    expect(await leads('/-/docs')).toBe('/-/docs')
    expect(await leads('javascript:alert(1)')).toBe('/users/sign_in')
    expect(await leads(null)).toBe('/users/sign_in')
  })
})

test('a new server says where the password of its administrator is, and an older one does not', async () => {
  const hint = 'first-administrator.txt'
  const root = w.db.updateTable('users').where('id', '=', w.root.id)
  onTestFinished(async () => void (await root.set({ sign_in_count: 1 }).execute()))
  await root.set({ sign_in_count: 0 }).execute()
  expect((await here().get('/users/sign_in')).text).toContain(hint)
  await root.set({ sign_in_count: 1 }).execute()
  expect((await here().get('/users/sign_in')).text).not.toContain(hint)
})
