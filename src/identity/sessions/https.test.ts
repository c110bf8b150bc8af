import { describe, expect, test } from 'vitest'
import { pages } from '#platform/pages/links.ts'
import { person, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const HOST_COOKIE = '__Host-_service_session'

/** Somebody who comes by https, as a proxy that is believed says. */
const byHttps = () => new Visitor(w.url, { headers: { 'x-forwarded-proto': 'https' } })

describe('where people come by https', () => {
  test('signing in sets a cookie that no other host can set', async () => {
    const { id, username, password } = await person(w)
    const visitor = byHttps()
    const { headers } = await visitor.signIn(username, password)
    const [cookie = '', ...others] = headers['set-cookie'] ?? []
    expect(others).toEqual([])
    expect(cookie).toMatch(
      /^__Host-_service_session=[\w-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
    )
    expect((await visitor.get(pages.sessions)).status).toBe(200)
    const api = w.anonymous.with({ cookie: `${HOST_COOKIE}=${visitor.cookies.get(HOST_COOKIE)}` })
    expect((await api.get('/user')).body.id).toBe(id)
  })

  test('signing out takes every name away', async () => {
    const { username, password } = await person(w)
    const visitor = byHttps()
    await visitor.signIn(username, password)
    const { headers } = await visitor.submit('/', '/users/sign_out')
    expect(headers['set-cookie']).toEqual([
      expect.stringMatching(/^__Host-_service_session=; Max-Age=0;.* Secure/),
      expect.stringMatching(/^_service_session=; Max-Age=0;/),
      expect.stringMatching(/^_gitlab_session=; Max-Age=0;/),
    ])
  })

  test('pages hear no session that a neighbouring host could have planted', async () => {
    const attacker = await w.session(await w.user())
    for (const name of ['_service_session', '_gitlab_session']) {
      const visitor = byHttps()
      visitor.cookies.set(name, attacker.secret)
      const { status, headers } = await visitor.get(pages.sessions)
      expect([status, headers.location]).toEqual([303, expect.stringContaining('/users/sign_in')])
    }
  })

  test('the API prefers its own cookie, and accepts both names that clients send', async () => {
    const [own, other] = [await w.user(), await w.user()]
    const [mine, theirs] = [await w.session(own), await w.session(other)]
    const forwarded = { 'x-forwarded-proto': 'https' }
    const asks = async (cookie: string) =>
      (await w.anonymous.with({ ...forwarded, cookie }).get('/user')).body.id
    expect(await asks(`_service_session=${theirs.secret}; ${HOST_COOKIE}=${mine.secret}`)).toBe(own.id)
    expect(await asks(`_service_session=${mine.secret}`)).toBe(own.id)
    expect(await asks(`_gitlab_session=${mine.secret}`)).toBe(own.id)
  })
})

test('an external URL with https lets browsers come by https alone; others say nothing', async () => {
  const hsts = async (url: string) =>
    (await fetch(`${url}/-/health`)).headers.get('strict-transport-security')
  expect(await hsts(w.url)).toBeNull()
  for (const [externalUrl, value] of [
    ['https://forge.example.com', 'max-age=31536000'],
    ['http://forge.example.com', null],
  ] as const) {
    const node = await w.another(undefined, { FORGELET_EXTERNAL_URL: externalUrl })
    try {
      const { port } = node.app.server.address() as { port: number }
      const here = `http://127.0.0.1:${port}`
      expect(await hsts(here)).toBe(value)
      // Refusals, pages and answers of the API alike.
      for (const path of ['/api/v4/user', '/users/sign_in', '/nowhere']) {
        const { headers } = await fetch(`${here}${path}`)
        expect(headers.get('strict-transport-security')).toBe(value)
      }
    } finally {
      await node.stop()
    }
  }
})
