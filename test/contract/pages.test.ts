import { beforeAll, describe, expect, test } from 'vitest'
import { CSRF_FIELD } from '#platform/http/browser-sessions.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { person, type Shown, signedIn, Visitor } from '#test/visitor.ts'
import { w } from '#test/world.ts'

const pages = w.running.app.declaredRoutes.filter(({ access }) => access.page !== undefined)
const named = (some: typeof pages) =>
  some.map((route) => [`${route.method} ${route.url}`, route.url.replace(/:\w+/g, '1'), route] as const)
const read = named(pages.filter(({ method }) => method === 'GET'))
const sent = named(pages.filter(({ method }) => method === 'POST'))

let somebody: Awaited<ReturnType<typeof signedIn>>
beforeAll(async () => {
  somebody = await signedIn(w)
})

const STRICT = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/** Nothing but files of this instance, and kept nowhere. */
function checkStrict({ headers, text }: Shown): void {
  const policy = String(headers['content-security-policy']).split('; ')
  // Scripts that ask the server: for the preview of a text.
  const asks = /src="\/-\/islands\/writing\.js"/.test(text) ? ["connect-src 'self'"] : []
  expect(policy.filter((part) => !part.startsWith('form-action'))).toEqual([...STRICT, ...asks])
  expect(policy.find((part) => part.startsWith('form-action'))).toMatch(/^form-action 'self'/)
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['referrer-policy']).toBe('same-origin')
  expect(text).not.toMatch(/<style|\sstyle=|\son\w+=|javascript:|<script(?![^>]*\ssrc="\/-\/)/i)
  expect(text).not.toMatch(/<(?:link|script|img)[^>]*(?:href|src)="(?!\/[^/])/)
  expect(text.match(/<h1>/g)).toHaveLength(1)
}

test('there are no pages that only read or send in other ways', () => {
  expect(pages.length).toBe(read.length + sent.length)
  expect(pages.length).toBeGreaterThan(10)
})

describe('every page', () => {
  test.each(read)('%s is strict about what it loads', async (_, path) => {
    for (const visitor of [somebody.visitor, new Visitor(w.url)]) {
      const shown = await visitor.get(path)
      expect(shown.status).toBeLessThan(500)
      if (shown.status === 303 || shown.status === 302) expect(shown.text).toBe('')
      else checkStrict(shown)
    }
  })

  test.each(read.filter(([, , { access }]) => access.page === 'signed in'))(
    '%s sends who is not signed in to the sign-in page, and back afterwards',
    async (_, path) => {
      const visitor = new Visitor(w.url)
      const wanted = `${path}?before=5&x=%2F%2Fevil`
      const { status, headers } = await visitor.get(wanted)
      expect({ status, location: headers.location }).toEqual({
        status: 303,
        location: `/users/sign_in?${new URLSearchParams({ return_to: wanted }).toString()}`,
      })
      const form = (await visitor.get(headers.location ?? '')).text
      const return_to = /name="return_to" value="([^"]*)"/.exec(form)?.[1]?.replaceAll('&amp;', '&') ?? ''
      expect(return_to).toBe(wanted)
      await w.running.services.limits.forget()
      const { username, password } = await person(w)
      const answer = await visitor.signIn(username, password, { return_to })
      if (path.startsWith('/oauth/'))
        expect(answer.text).toContain(`content="0;url=${wanted.replace('&', '&amp;')}"`)
      else expect(answer.headers.location).toBe(wanted)
    },
  )

  test.each(sent)('%s hears no form without the token of the session', async (_, path) => {
    for (const token of [undefined, '', 'guessed']) {
      const answer = await somebody.visitor.post(path, token === undefined ? {} : { [CSRF_FIELD]: token })
      expect(answer.status).toBe(403)
      expect(answer.text).toContain('The form has expired.')
      checkStrict(answer)
    }
  })

  test.each(sent)('%s hears no form of another site', async (_, path) => {
    const { status, headers } = await new Visitor(w.url).post(path, {}, { 'sec-fetch-site': 'cross-site' })
    // Who has no session is sent to sign in before anything else.
    if (status === 303) expect(headers.location).toBe('/users/sign_in')
    else expect(status).toBe(403)
  })

  test.each(sent.filter(([, , { access }]) => access.page === 'signed in'))(
    '%s does nothing for who is not signed in',
    async (_, path) => {
      const answer = await new Visitor(w.url).post(path)
      expect(answer).toMatchObject({ status: 303, headers: { location: '/users/sign_in' } })
    },
  )
})

describe('tokens are for programs', () => {
  test.each(read.filter(([, , { access }]) => access.page === 'signed in'))(
    '%s is not shown for one',
    async (_, path) => {
      const { status } = await new Visitor(w.url).get(path, { 'private-token': somebody.user.token })
      expect(status).toBe(303)
    },
  )
})

describe('the start page', () => {
  async function startWith(home_page_url: Settings['home_page_url']) {
    await w.write((tx) => changeSettings(tx, { home_page_url }))
    await w.running.services.settingsView.reload()
    return new Visitor(w.url).get('/')
  }

  test('sends visitors to sign in, or to the home page of the settings', async () => {
    expect((await startWith(null)).headers.location).toBe('/users/sign_in')
    expect((await startWith('https://www.example.com/forge')).headers.location).toBe(
      'https://www.example.com/forge',
    )
    expect((await startWith(`${w.url}/`)).headers.location).toBe('/users/sign_in')
    expect((await startWith('javascript:alert(1)')).headers.location).toBe('/users/sign_in')
    expect((await startWith(null)).status).toBe(303)
  })

  test('leads who is signed in to all of their pages', async () => {
    for (const start of ['/', '/-/user_settings']) {
      const { status, text } = await somebody.visitor.get(start)
      expect(status).toBe(200)
      for (const [, path] of text.matchAll(/href="(\/[^"]*)"/g)) {
        expect((await somebody.visitor.get(path ?? '', { accept: 'text/html' })).status).toBe(200)
      }
    }
  })

  test('shows a name as text', async () => {
    const { visitor } = await signedIn(w, { name: '<script>alert(1)</script> "Ada"' })
    expect((await visitor.get('/-/user_settings')).text).toContain(
      '&lt;script&gt;alert(1)&lt;/script&gt; &quot;Ada&quot;',
    )
  })
})

test.each([
  '/-/pages.css',
  '/-/copy.js',
  '/-/icon.svg',
  '/-/islands/live-log.js',
  '/-/islands/highlight.js',
  '/robots.txt',
])('%s is served to everybody', async (path) => {
  const { status, headers } = await new Visitor(w.url).get(path)
  expect(status).toBe(200)
  expect(headers['content-type']).toMatch(
    /^(?:text\/(?:css|javascript|plain); charset=utf-8|image\/svg\+xml)$/,
  )
  expect((await new Visitor(w.url).get(path, { 'if-none-match': headers.etag ?? '' })).status).toBe(304)
})
