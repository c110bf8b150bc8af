import { describe, expect, test } from 'vitest'
import { always, type Behaviour, type FakeRegistry } from '#test/fake-registry.ts'
import { upstreamPath, withVirtualRegistries } from '../test-support.ts'
import { age, closingRegistries, fake, virtual } from './test-support.ts'

// Registries want to know who asks. The password goes to them, and to the server for tokens that they name themselves.

withVirtualRegistries({ local: true })
closingRegistries()

const codeOf = ({ bytes }: { bytes: Buffer }) => JSON.parse(bytes.toString()).errors[0].code
const me = { username: 'me', password: 'secret' }
const basic = `Basic ${Buffer.from('me:secret').toString('base64')}`
const authorizationsOf = ({ questions }: FakeRegistry) =>
  questions.map(({ headers }) => headers.authorization)

/** Answers at the server for tokens alone. */
const atTokens =
  (behave: Behaviour): Behaviour =>
  (request, response) =>
    request.url?.startsWith('/token') === true && behave(request, response)

describe('whoever an upstream redirects to', () => {
  const challenges = (realm: string): [string, string][] => [
    ['a token', `Bearer realm="${realm}/token",service="x"`],
    ['a password', 'Basic realm="x"'],
    ['either', `Basic realm="x", Bearer realm="${realm}/token"`],
  ]

  test.each(challenges('http://x').map(([what], at) => [what, at] as const))(
    'never gets the password by asking for %s',
    async (_, at) => {
      const { source, pull, by, upstreams } = await virtual(1, me)
      const thief = await fake()
      thief.behave = always(401, { 'www-authenticate': challenges(thief.url)[at]?.[1] ?? '' })
      const { layer } = source.image('a', 'v1')
      source.auth = { scheme: 'bearer', ...me }
      source.behave = (request, response) =>
        request.headers.authorization?.startsWith('Bearer') === true &&
        always(307, { location: `${thief.url}${request.url}` })(request, response)
      for (const path of ['a/manifests/v1', `a/blobs/${layer.digest}`, 'a/tags/list'])
        expect([502, 503]).toContain((await pull(path)).status)
      expect((await by.post(`${upstreamPath(upstreams[0])}/test`)).body.success).toBe(false)
      expect(thief.questions.length).toBeGreaterThanOrEqual(3)
      expect(thief.asked(/token/)).toBe(0)
      expect(new Set(authorizationsOf(thief))).toEqual(new Set([undefined]))
      // What it asked for is not remembered as the upstream's own wish either.
      source.behave = () => false
      expect((await pull('a/manifests/v1')).status).toBe(200)
    },
  )

  test('gets no password from a server for tokens either', async () => {
    const { source, pull } = await virtual(1, me)
    const thief = await fake()
    source.image('a', 'v1')
    source.auth = { scheme: 'bearer', ...me }
    source.behave = atTokens((request, response) =>
      always(307, { location: `${thief.url}${request.url}` })(request, response),
    )
    expect((await pull('a/manifests/v1')).status).toBe(502)
    expect(authorizationsOf(thief)).toEqual([undefined])
  })

  test('is not meant when an upstream itself names a server for tokens elsewhere', async () => {
    const { source, pull } = await virtual(1, me)
    const tokens = await fake()
    source.image('a', 'v1')
    tokens.auth = { scheme: 'bearer', ...me }
    source.auth = {
      scheme: 'bearer',
      ...me,
      challenges: [`Bearer realm="${tokens.url}/token",service="x"`],
    }
    tokens.tokens.add = (token) => source.tokens.add(token) && tokens.tokens
    expect((await pull('a/manifests/v1')).status).toBe(200)
    expect(authorizationsOf(tokens)).toEqual([basic])
  })
})

describe('an upstream that asks for either a token or a password', () => {
  test.each([
    ['in two headers', (realm: string) => ['Basic realm="Gitea"', `Bearer realm="${realm}",service="x"`]],
    ['in one header', (realm: string) => [`BASIC realm="Nexus, x", Bearer realm="${realm}",service="x"`]],
  ])('%s is asked with a token', async (_, challenges) => {
    const { source, pull } = await virtual(1, me)
    source.image('a', 'v1')
    source.auth = { scheme: 'bearer', ...me, challenges: challenges(`${source.url}/token`) }
    expect((await pull('a/manifests/v1')).status).toBe(200)
    expect(source.asked(/token/)).toBe(1)
  })

  test('is asked with the password when there is no token', async () => {
    const { source, pull } = await virtual(1, me)
    source.image('a', 'v1')
    source.auth = { scheme: 'basic', ...me, challenges: ['Bearer realm="http://127.0.0.1:1/token"', 'Basic'] }
    expect((await pull('a/manifests/v1')).status).toBe(200)
    expect(authorizationsOf(source)).toEqual([undefined, basic])
  })
})

const failures: readonly [what: string, behave: Behaviour, status: number, code: string, test: RegExp][] = [
  ['is down', always(503), 503, 'UNAVAILABLE', /^Error: 5XX - Server Error \(the token server 127/],
  [
    'limits requests',
    always(429, { 'retry-after': '0' }),
    429,
    'TOOMANYREQUESTS',
    /^Error: 429 - Too Many Requests \(the token server 127/,
  ],
  ['refuses the password', always(401), 502, 'UNAVAILABLE', /^Error: 401 - Unauthorized$/],
  ['is not there', always(404), 502, 'UNAVAILABLE', /^Error: 404 - Not Found \(the token server 127/],
  ['sends no token', always(200, {}, '{}'), 503, 'UNAVAILABLE', /^Error: no token \(the token server 127/],
  [
    'breaks off',
    (_, response) => {
      response.destroy()
      return true
    },
    503,
    'UNAVAILABLE',
    /^Error: Connection timeout \(the token server 127/,
  ],
]

describe.each(failures)('while the server for tokens of an upstream %s', (_, behave, status, code, says) => {
  test('what is kept is served and not forgotten, and nothing else is taken for an absence', async () => {
    const { sources, pull, upstreams, by } = await virtual(2, me)
    const [first, second] = sources
    if (first === undefined || second === undefined) throw new Error('There are two')
    const { manifest } = first.image('a', 'v1')
    const other = second.image('a', 'v1')
    second.image('a', 'v2')
    for (const source of sources) source.auth = { scheme: 'bearer', ...me }
    await pull('a/manifests/v1')
    await age(upstreams)
    first.behave = atTokens(behave)
    first.tokens.clear()
    const kept = await pull('a/manifests/v1')
    expect([kept.status, kept.bytes, kept.headers.get('x-virtual-registry-cache')]).toEqual([
      200,
      manifest.bytes,
      'stale',
    ])
    // The second one may mean another image by the tag, and is not asked.
    const tag = await pull('a/manifests/v2')
    expect([tag.status, codeOf(tag)]).toEqual([status, code])
    expect((await pull('a/tags/list')).status).toBe(status)
    expect(second.questions).toEqual([])
    expect((await by.post(`${upstreamPath(upstreams[0])}/test`)).body).toEqual({
      success: false,
      result: expect.stringMatching(says),
    })
    // A digest means the same everywhere.
    expect((await pull(`a/manifests/${other.manifest.digest}`)).status).toBe(200)
    expect((await pull(`a/blobs/${other.layer.digest}`)).status).toBe(200)
    // Once it is back, nothing is remembered as absent.
    first.behave = () => false
    const { manifest: late } = first.image('a', 'v2')
    const again = await pull('a/manifests/v2')
    expect([again.status, again.bytes]).toEqual([200, late.bytes])
  })
})

describe('an upstream', () => {
  test.each([
    ['wrong', { username: 'me', password: 'wrong' }],
    ['no', {}],
  ])(
    'that wants a password and is asked with %s one is not taken for one that has nothing',
    async (_, given) => {
      const { sources, pull, by, upstreams } = await virtual(2, given)
      const [first, second] = sources
      second?.image('a', 'v1')
      if (first !== undefined) first.auth = { scheme: 'basic', ...me }
      const answer = await pull('a/manifests/v1')
      expect([answer.status, codeOf(answer), second?.questions]).toEqual([502, 'UNAVAILABLE', []])
      expect((await by.post(`${upstreamPath(upstreams[0])}/test`)).body.result).toBe(
        'Error: 401 - Unauthorized',
      )
    },
  )

  test.each(['Basic realm="x"', 'Bearer realm="http://127.0.0.1:1/token"'])(
    'that wants to know who asks for one image sends a public one to anybody: %s',
    async (challenge) => {
      const { source, pull } = await virtual()
      source.image('public', 'v1')
      source.behave = (request, response) =>
        request.url?.startsWith('/v2/private/') === true &&
        always(401, { 'www-authenticate': challenge })(request, response)
      for (let time = 0; time < 2; time += 1) {
        expect((await pull('private/manifests/v1')).status).toBeGreaterThanOrEqual(502)
        expect((await pull('public/manifests/v1')).status).toBe(200)
        expect((await pull('public/tags/list')).status).toBe(404)
      }
    },
  )

  test('that knows who asks, and denies an image, is passed over, and says so when nobody else has it', async () => {
    const { sources, pull, upstreams } = await virtual(2, me)
    const [first, second] = sources
    if (first === undefined || second === undefined) throw new Error('There are two')
    first.auth = { scheme: 'bearer', ...me }
    // Docker Hub answers so to images that it does not have.
    first.behave = (request, response) =>
      request.headers.authorization?.startsWith('Bearer') === true &&
      always(401, { 'www-authenticate': `Bearer realm="${first.url}/token",error="insufficient_scope"` })(
        request,
        response,
      )
    const denied = await pull('a/manifests/v1')
    expect([denied.status, codeOf(denied)]).toEqual([403, 'DENIED'])
    const { manifest } = second.image('a', 'v2')
    expect((await pull('a/manifests/v2')).bytes).toEqual(manifest.bytes)
    // What is kept outlives that access is denied.
    await age(upstreams)
    second.behave = always(403)
    expect((await pull('a/manifests/v2')).headers.get('x-virtual-registry-cache')).toBe('stale')
    second.behave = () => false
    expect((await pull('a/manifests/v2')).headers.get('x-virtual-registry-cache')).toBe('revalidated')
  })

  test('whose server for tokens denies one image is passed over for that image alone', async () => {
    const { sources, pull } = await virtual(2, me)
    const [first, second] = sources
    if (first === undefined || second === undefined) throw new Error('There are two')
    first.auth = { scheme: 'bearer', ...me }
    first.image('mine', 'v1')
    first.behave = (request, response) =>
      request.url?.startsWith('/token') === true &&
      request.url.includes('theirs') &&
      always(403)(request, response)
    const { manifest } = second.image('theirs', 'v1')
    // Nothing tells yet that the password is right, so nobody else may say what the tag means.
    const unknown = await pull('theirs/manifests/v1')
    expect([unknown.status, codeOf(unknown), second.questions]).toEqual([502, 'UNAVAILABLE', []])
    expect((await pull('mine/manifests/v1')).status).toBe(200)
    expect((await pull('theirs/manifests/v1')).bytes).toEqual(manifest.bytes)
    const denied = await pull('theirs/manifests/v2')
    expect([denied.status, codeOf(denied)]).toEqual([403, 'DENIED'])
    // It is not left alone for that.
    const { manifest: own } = first.image('mine', 'v2')
    second.manifest('mine', 'v2', own.bytes)
    expect((await pull(`mine/manifests/${own.digest}`)).bytes).toEqual(own.bytes)
    expect([first, second].map((one) => one.asked(new RegExp(own.digest)))).toEqual([1, 0])
  })

  test('whose server for tokens refuses the password later is not taken for one that denies an image', async () => {
    const { sources, pull } = await virtual(2, me)
    const [first, second] = sources
    if (first === undefined || second === undefined) throw new Error('There are two')
    first.auth = { scheme: 'bearer', ...me }
    first.image('a', 'v1')
    await pull('a/manifests/v1')
    for (const status of [401, 403]) {
      first.behave = atTokens(always(status))
      expect((await pull('b/manifests/v1')).status).toBe(502)
    }
    expect(second.questions).toEqual([])
  })

  test('whose tokens are refused later is asked for another one, and then what is kept is served', async () => {
    const { source, pull, upstreams } = await virtual(1, me)
    source.auth = { scheme: 'bearer', ...me }
    source.image('a', 'v1')
    await pull('a/manifests/v1')
    source.tokens.clear()
    await age(upstreams)
    expect((await pull('a/manifests/v1')).headers.get('x-virtual-registry-cache')).toBe('revalidated')
    await age(upstreams)
    source.behave = (request, response) =>
      request.url?.startsWith('/token') === false &&
      always(401, { 'www-authenticate': `Bearer realm="${source.url}/token",error="invalid_token"` })(
        request,
        response,
      )
    expect((await pull('a/manifests/v1')).headers.get('x-virtual-registry-cache')).toBe('stale')
  })
})
