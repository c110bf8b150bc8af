import { describe, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'
import { browserName } from './browser-name.ts'
import { removeEndedSessions } from './remove-ended-sessions.ts'

const PAGE = '/-/user_settings/active_sessions'

/** Signs in once more, with another browser. */
async function elsewhere({ username, password }: { username: string; password: string }) {
  const visitor = new Visitor(w.url, {
    headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' },
  })
  await visitor.signIn(username, password)
  return visitor
}

const sessionsOf = (userId: number) =>
  w.db.selectFrom('sessions').select(['id', 'ends_at']).where('user_id', '=', userId).orderBy('id').execute()

describe('the page of sessions', () => {
  test('shows where somebody is signed in, and which session is this one', async () => {
    const me = await signedIn(w)
    await elsewhere(me)
    await w.running.services.lastUsed.flush()
    const { text } = await me.visitor.get(PAGE)
    expect(text).toContain('Firefox on Linux')
    expect(text).toContain('127.0.0.1')
    expect(text.match(/this browser/g)).toHaveLength(1)
  })

  test('ends one of them at once, and says in the facts who did', async () => {
    const me = await signedIn(w)
    const other = await elsewhere(me)
    const [, session] = await sessionsOf(me.id)
    const answer = await me.visitor.submit(PAGE, `${PAGE}/${session?.id}/end`)
    expect(answer).toMatchObject({ status: 303, headers: { location: PAGE } })
    expect((await other.get('/')).headers.location).toBe('/users/sign_in')
    expect((await me.visitor.get(PAGE)).text).toContain('Ended.')
    const fact = await w.db
      .selectFrom('facts')
      .select(['actor_id', 'details'])
      .where('name', '=', 'session ended')
      .where('target_id', '=', me.id)
      .execute()
    expect(fact).toEqual([{ actor_id: me.id, details: { session_id: session?.id } }])
  })

  test('ends all others', async () => {
    const me = await signedIn(w)
    const others = [await elsewhere(me), await elsewhere(me)]
    expect((await me.visitor.submit(PAGE, `${PAGE}/end_others`)).status).toBe(303)
    expect((await me.visitor.get(PAGE)).status).toBe(200)
    for (const other of others) expect((await other.get(PAGE)).status).toBe(303)
    expect((await me.visitor.submit(PAGE, `${PAGE}/end_others`)).status).toBe(303)
  })

  test('knows nothing of the sessions of others', async () => {
    const [me, somebody] = [await signedIn(w), await signedIn(w)]
    const [theirs] = await sessionsOf(somebody.id)
    expect((await me.visitor.submit(PAGE, `${PAGE}/${theirs?.id}/end`)).status).toBe(404)
    expect((await somebody.visitor.get(PAGE)).status).toBe(200)
    expect((await me.visitor.submit(PAGE, `${PAGE}/x/end`)).status).toBe(400)
  })

  test('shows fifty at a time, in three statements', async () => {
    const me = await signedIn(w)
    for (let count = 0; count < 51; count += 1) await w.session(me.user)
    const statements = await w.statements(() => me.visitor.get(PAGE))
    expect(statements).toHaveLength(3)
    const { text } = await me.visitor.get(PAGE)
    expect(text.match(/class="card"/g)).toHaveLength(50)
    const older = /href="([^"]*before=\d+)"/.exec(text)?.[1] ?? ''
    const next = (await me.visitor.get(older)).text
    expect(next.match(/class="card"/g)).toHaveLength(2)
    expect(next).toContain('this browser')
  })
})

test('rights that somebody loses are lost in their sessions at once', async () => {
  const admin = await w.user({ admin: true })
  const { reader } = await w.session(admin)
  expect((await reader.get('/application/settings')).status).toBe(200)
  await w.root.put(`/users/${admin.id}`, { admin: false })
  expect((await reader.get('/application/settings')).status).toBe(403)
})

test('sessions cannot be made through the API', async () => {
  const { username, password } = await signedIn(w)
  for (const path of ['/session', '/sessions', '/users/sign_in']) {
    const { status, headers } = await w.anonymous.post(path, { login: username, password })
    expect([404, 405]).toContain(status)
    expect(headers.get('set-cookie')).toBeNull()
  }
})

test('sessions whose time has come are removed every day', async () => {
  const user = await w.user()
  const [ended, going] = [await w.session(user), await w.session(user)]
  await w.db
    .updateTable('sessions')
    .set({ ends_at: new Date(Date.now() - 1).toISOString() })
    .where('id', '=', ended.id)
    .execute()
  const { signal } = new AbortController()
  await removeEndedSessions.execute({}, jobContext(w.running.services, { attempt: 1, signal }))
  expect((await sessionsOf(user.id)).map(({ id }) => id)).toEqual([going.id])
})

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
  [
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0',
    'Edge on Windows',
  ],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    'Safari on macOS',
  ],
  [
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Chrome on Android',
  ],
  ['curl/8.14.1', 'curl'],
  ['something else', 'something else'],
  ['', 'Unknown browser'],
  [null, 'Unknown browser'],
])('%s is %s', (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})
