import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { changeSettings } from '#platform/settings/change-settings.ts'
import type { Settings } from '#platform/settings/definitions.ts'
import { type Answer, Client } from '#test/client.ts'
import { RawConnection } from '#test/raw.ts'
import { openWorld, type Place, type World } from '#test/world.ts'

/** A server of its own: its settings would limit others. */
let own: World
let place: Place
beforeAll(async () => {
  own = await openWorld()
  place = await own.project({ visibility: 'public' })
})
afterAll(() => own.running.stop())
beforeEach(() => own.running.services.limits.forget())
afterEach(() =>
  set({ throttle_authenticated_api_enabled: false, throttle_unauthenticated_api_enabled: false }),
)

/** By the database, so that no request is counted for it. */
async function set(settings: Partial<Settings>): Promise<void> {
  await own.write((tx) => changeSettings(tx, settings))
  await own.running.services.settingsView.reload()
}

const limitUsers = (requests: number, seconds = 3600) =>
  set({
    throttle_authenticated_api_enabled: true,
    throttle_authenticated_api_requests_per_period: requests,
    throttle_authenticated_api_period_in_seconds: seconds,
  })
const limitAddresses = (requests: number, seconds = 3600) =>
  set({
    throttle_unauthenticated_api_enabled: true,
    throttle_unauthenticated_api_requests_per_period: requests,
    throttle_unauthenticated_api_period_in_seconds: seconds,
  })

const limitHeaders = ({ headers }: Answer) =>
  Object.fromEntries([...headers].filter(([name]) => /^ratelimit|^retry-after/.test(name)))
const statuses = async (count: number, ask: () => Promise<Answer>) => {
  const found: number[] = []
  for (let asked = 0; asked < count; asked += 1) found.push((await ask()).status)
  return found
}

describe('the limit of requests of a user', () => {
  test('says on every answer how they stand, also on refusals', async () => {
    await limitUsers(1000, 3600)
    own.clock.hold('2026-05-01T10:00:00Z')
    const first = await place.guest.get(`/projects/${place.id}`)
    expect(first.status).toBe(200)
    expect(limitHeaders(first)).toEqual({
      'ratelimit-limit': '17',
      'ratelimit-name': 'throttle_authenticated_api',
      'ratelimit-observed': '1',
      'ratelimit-remaining': '999',
      'ratelimit-reset': String(Date.parse('2026-05-01T11:00:00Z') / 1000),
      'ratelimit-policy': '"throttle_authenticated_api";q=1000;w=3600',
      ratelimit: '"throttle_authenticated_api";r=999;t=3600',
    })
    const refusals = [
      await place.guest.get('/projects/999999'),
      await place.guest.get('/application/settings'),
      await place.guest.post('/projects', {}),
      await place.guest.head(`/projects/${place.id}`),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([404, 403, 400, 200])
    expect(refusals.map((answer) => answer.headers.get('ratelimit-observed'))).toEqual(['2', '3', '4', '5'])
  })

  test('past it: 429 in plain text, with the time at which to come back', async () => {
    await limitUsers(2, 60)
    own.clock.hold('2026-05-01T10:00:00Z')
    expect(await statuses(2, () => place.planner.get('/user'))).toEqual([200, 200])
    const refused = await place.planner.get('/user')
    expect([refused.status, refused.text]).toEqual([429, 'Retry later'])
    expect(refused.headers.get('content-type')).toMatch(/^text\/plain/)
    const wait = Number(refused.headers.get('retry-after'))
    expect(wait > 50 && wait <= 60).toBe(true)
    expect(limitHeaders(refused)).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-observed': '3',
      'ratelimit-remaining': '0',
      'ratelimit-reset': String(Date.parse('2026-05-01T10:00:00Z') / 1000 + wait),
      'ratelimit-resettime': new Date(Date.parse('2026-05-01T10:00:00Z') + wait * 1000).toUTCString(),
      ratelimit: `"throttle_authenticated_api";r=0;t=${wait}`,
    })
    expect((await place.reporter.get('/user')).status).toBe(200)
  })

  test('with the text that the setting has', async () => {
    await limitUsers(1)
    await set({ rate_limiting_response_text: 'Slowly, please' })
    await place.owner.get('/user')
    expect((await place.owner.get('/user')).text).toBe('Slowly, please')
    await set({ rate_limiting_response_text: null })
  })

  test('counts all tokens and sessions of a user together, and sudo for the administrator', async () => {
    await limitUsers(3)
    const user = await own.user()
    const { client } = await own.token(user)
    const { reader } = await own.session(user)
    const asking = [user, client, reader, user].map((by) => () => by.get('/user'))
    const found: number[] = []
    for (const ask of asking) found.push((await ask()).status)
    expect(found).toEqual([200, 200, 200, 429])
    const sudo = (await own.token(own.root, ['api', 'sudo'])).client.with({ sudo: user.username })
    expect((await sudo.get('/user')).headers.get('ratelimit-observed')).toBe('1')
  })

  test('comes after what is wrong with the credentials and before everything else', async () => {
    await limitUsers(1)
    const { client } = await own.token(place.guest, ['read_user'])
    expect((await client.get(`/projects/${place.id}`)).status).toBe(403)
    expect((await client.get('/user')).status).toBe(200)
    expect((await client.get(`/projects/${place.id}`)).status).toBe(403)
    expect((await place.guest.post('/projects', {})).status).toBe(429)
    expect((await own.anonymous.get('/user', { headers: { 'private-token': 'wrong' } })).status).toBe(401)
  })
})

describe('the limit of requests without credentials', () => {
  test('counts them for their address', async () => {
    await limitAddresses(2, 60)
    const ask = () => own.anonymous.get(`/projects/${place.id}`)
    const first = await ask()
    expect(limitHeaders(first)).toMatchObject({
      'ratelimit-limit': '2',
      'ratelimit-name': 'throttle_unauthenticated_api',
      'ratelimit-policy': '"throttle_unauthenticated_api";q=2;w=60',
    })
    expect(await statuses(2, ask)).toEqual([200, 429])
    expect((await own.anonymous.get('/user')).status).toBe(429)
    const known = await place.guest.get(`/projects/${place.id}`)
    expect([known.status, limitHeaders(known)]).toEqual([200, {}])
  })

  test('refuses before anything is looked up', async () => {
    await limitAddresses(1)
    await own.anonymous.get(`/projects/${place.id}`)
    expect(await own.statements(() => own.anonymous.get(`/projects/${place.id}`))).toEqual([])
  })

  test('a cookie of no session is no way around it', async () => {
    await limitAddresses(2)
    const headers = { cookie: '_service_session=made-up' }
    const ask = () => own.anonymous.get(`/projects/${place.id}`, { headers })
    expect(await statuses(3, ask)).toEqual([200, 200, 429])
  })

  test('nobody changes their address by a header, unless a trusted proxy sends it', async () => {
    await limitAddresses(1)
    const from = (base: string) => (address: string) =>
      new Client(base).get(`/projects/${place.id}`, { headers: { 'x-forwarded-for': address } })
    const direct = from(own.url)
    expect((await direct('192.0.2.1')).status).toBe(200)
    expect((await direct('192.0.2.2')).status).toBe(429)
    const behind = await own.another(undefined, { FORGELET_TRUSTED_PROXIES: '127.0.0.1' })
    try {
      const proxied = from(behind.url)
      expect((await proxied('192.0.2.1')).status).toBe(200)
      expect((await proxied('192.0.2.2')).status).toBe(200)
      expect((await proxied('192.0.2.1')).status).toBe(429)
      // What the client wrote itself stands to the left of what the proxy adds.
      expect((await proxied('198.51.100.7, 192.0.2.1')).status).toBe(429)
      // An address of version 6 has a whole network of others.
      expect((await proxied('2001:db8:1:2::1')).status).toBe(200)
      expect((await proxied('2001:db8:1:2:ffff::9')).status).toBe(429)
      expect((await proxied('2001:db8:1:3::1')).status).toBe(200)
      expect((await proxied('::ffff:192.0.2.2')).status).toBe(429)
    } finally {
      await behind.stop()
    }
  })
})

test('OAuth endpoints that need no credentials have limits for each address, checked before the body', async () => {
  const ask = async (path: string) => {
    const form = new URLSearchParams({ client_id: 'nobody' })
    return own.anonymous.send('POST', `${own.url}/oauth/${path}`, { form })
  }
  own.running.services.failedAuthentications.forget()
  const { limits } = own.running.services
  const use = async (name: string, times: number) => {
    for (let count = 0; count < times; count += 1) await limits.count(name, '127.0.0.1', 60)
  }
  expect((await ask('authorize_device')).status).toBe(401)
  await use('oauth_device_codes', 60)
  const refused = await ask('authorize_device')
  expect([refused.status, refused.body.error]).toEqual([429, 'temporarily_unavailable'])
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  expect((await ask('token')).body.error).toBe('invalid_request')
  await use('oauth_token_requests', 600)
  const late = await RawConnection.open(own.url)
  late.head('POST /oauth/token', { 'content-type': 'application/json', 'content-length': 1_000 })
  expect(await late.status()).toBe(429)
  late.end()
})

test('while limits are off there are no headers and nothing is counted', async () => {
  for (const by of [place.guest, own.anonymous]) {
    expect(limitHeaders(await by.get(`/projects/${place.id}`))).toEqual({})
  }
  await limitUsers(1)
  expect((await place.guest.get('/user')).headers.get('ratelimit-observed')).toBe('1')
})

test('scripts on other sites may read the headers; refusals are counted in the metrics', async () => {
  await limitUsers(1)
  await place.guest.get('/user')
  const refused = await place.guest.with({ origin: 'https://example.com' }).get('/user')
  const exposed = refused.headers.get('access-control-expose-headers')?.split(', ') ?? []
  const named = [...refused.headers.keys()].filter((name) => name.startsWith('ratelimit'))
  expect(named.length).toBe(8)
  expect(named.filter((name) => !exposed.map((one) => one.toLowerCase()).includes(name))).toEqual([])
  const metrics = await (await fetch(`${own.url}/-/metrics`)).text()
  expect(metrics).toMatch(/^forgelet_limit_refusals_total\{limit="throttle_authenticated_api"\} [1-9]/m)
})
