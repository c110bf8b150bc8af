import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { unauthorized } from '#platform/refusals.ts'
import { FailedAuthentications } from './failed-authentications.ts'
import { digestOf } from '#platform/access/digest.ts'
import { changeSettings } from '#platform/settings/change-settings.ts'
import { Client } from '#test/client.ts'
import { openWorld, type World } from '#test/world.ts'
import { TooOften } from '#platform/refusals.ts'

/** A server of its own: its setting would limit others. */
let own: World
beforeAll(async () => {
  own = await openWorld()
  await limitTo(3)
})
afterAll(() => own.running.stop())
beforeEach(async () => {
  await own.running.services.limits.forget()
  own.running.services.failedAuthentications.forget()
})
afterEach(() => vi.useRealTimers())

async function limitTo(failed_authentication_limit: number): Promise<void> {
  await own.write((tx) => changeSettings(tx, { failed_authentication_limit }))
  await own.running.services.settingsView.reload()
}

const guess = (serial: number | string, base = own.url) =>
  new Client(base, { 'private-token': `glpat-wrong-${serial}` }).get('/user')

/** Uses up the allowance. */
async function guessThree(): Promise<void> {
  for (const serial of [1, 2, 3]) expect((await guess(serial)).status).toBe(401)
}

describe('wrong credentials of an address', () => {
  test('past the limit are refused with 429, before anything is looked up', async () => {
    await guessThree()
    const statements = await own.statements(async () => {
      const { status, body, headers } = await guess(4)
      expect([status, body]).toEqual([
        429,
        { message: { error: 'This endpoint has been requested too many times. Try again later.' } },
      ])
      const wait = Number(headers.get('retry-after'))
      expect(wait > 50 && wait <= 60).toBe(true)
    })
    expect(statements).toEqual([])
    const metrics = await (await fetch(`${own.url}/-/metrics`)).text()
    expect(metrics).toMatch(/^forgelet_limit_refusals_total\{limit="failed_authentication_limit"\} [1-9]/m)
  })

  test('count in every place where they are sent, and when they are expired or revoked', async () => {
    const user = await own.user()
    const { id, client } = await own.token(user)
    await user.delete(`/personal_access_tokens/${id}`)
    const expired = (await own.token(user, ['api'], '2026-01-01')).client
    const ask = [
      () => own.anonymous.get('/user?private_token=wrong'),
      () => client.get('/user'),
      () => expired.get('/user'),
      () => own.anonymous.get('/user', { headers: { authorization: 'Bearer x' } }),
    ]
    const found: number[] = []
    for (const send of ask) found.push((await send()).status)
    expect(found).toEqual([401, 401, 401, 429])
  })

  test('are not counted when there were none, nor when something else was refused', async () => {
    const { id } = await own.project()
    const stranger = await own.user({ scopes: ['read_user'] })
    for (let count = 0; count < 4; count += 1) {
      expect((await own.anonymous.get('/user')).status).toBe(401)
      expect((await stranger.get(`/projects/${id}`)).status).toBe(403)
    }
    expect((await guess('once')).status).toBe(401)
  })

  test('do not keep others from asking without any', async () => {
    const { id } = await own.project({ visibility: 'public' })
    await guessThree()
    expect((await own.anonymous.get(`/projects/${id}`)).status).toBe(200)
  })

  test('0 is without limit', async () => {
    await limitTo(0)
    for (let serial = 0; serial < 10; serial += 1) expect((await guess(serial)).status).toBe(401)
    await limitTo(3)
  })
})

describe('those who share the address', () => {
  test('go on with credentials that were right before, however many wrong ones come', async () => {
    const colleague = await own.user()
    const signedIn = (await own.session(colleague)).reader
    expect((await colleague.get('/user')).status).toBe(200)
    expect((await signedIn.get('/user')).status).toBe(200)
    await guessThree()
    expect((await guess(4)).status).toBe(429)
    expect((await colleague.get('/user')).status).toBe(200)
    expect((await signedIn.get('/user')).status).toBe(200)
  })

  test('wait for new ones until the minute is over, and no longer', async () => {
    const newcomer = await own.user()
    await guessThree()
    expect((await newcomer.get('/user')).status).toBe(429)
    // What is refused in the meantime makes it no longer.
    expect((await guess(4)).status).toBe(429)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 })
    expect((await newcomer.get('/user')).status).toBe(200)
    expect((await guess(5)).status).toBe(401)
  })

  test('what was right and is revoked is wrong like any other', async () => {
    const user = await own.user()
    const { id, client } = await own.token(user)
    expect((await client.get('/user')).status).toBe(200)
    await user.delete(`/personal_access_tokens/${id}`)
    for (let count = 0; count < 3; count += 1) expect((await client.get('/user')).status).toBe(401)
    expect((await client.get('/user')).status).toBe(429)
  })

  test('a cookie that belongs to nobody is not taken for a right one', async () => {
    const { id } = await own.project({ visibility: 'public' })
    const headers = { cookie: '_service_session=made-up' }
    expect((await own.anonymous.get(`/projects/${id}`, { headers })).status).toBe(200)
    await guessThree()
    expect((await own.anonymous.get(`/projects/${id}`, { headers })).status).toBe(429)
  })
})

describe('who is refused', () => {
  const open = () =>
    new FailedAuthentications({
      limits: { ...own.running.services.limits, count: async () => ({ times: 5, seconds: 60 }) },
      settings: () => ({ failed_authentication_limit: 3 }),
    })
  const fail = (failed: FailedAuthentications, ip: string) =>
    failed.watch(ip, digestOf('wrong'), async () => Promise.reject(unauthorized())).catch(() => {})

  test('is forgotten when the minute is over, whether they come back or not', async () => {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const failed = open()
    for (const ip of ['192.0.2.1', '192.0.2.2']) await fail(failed, ip)
    expect(failed.refused).toBe(2)
    vi.advanceTimersByTime(59_000)
    await fail(failed, '192.0.2.3')
    vi.advanceTimersByTime(2_000)
    expect(failed.refused).toBe(1)
    vi.advanceTimersByTime(60_000)
    expect(failed.refused).toBe(0)
  })

  test('is a bounded number, the newest', async () => {
    const failed = open()
    for (let serial = 0; serial < 10_100; serial += 1) {
      await fail(failed, `10.${serial >> 16}.${(serial >> 8) & 255}.${serial & 255}`)
    }
    expect(failed.refused).toBe(10_000)
    const again = (ip: string) => failed.watch(ip, digestOf(`other from ${ip}`), async () => 'heard')
    expect(await again('10.0.0.1')).toBe('heard')
    await expect(again('10.0.39.100')).rejects.toBeInstanceOf(TooOften)
  })
})

test('another address is its own matter; nobody chooses theirs by a header', async () => {
  const behind = await own.another(undefined, { FORGELET_TRUSTED_PROXIES: '127.0.0.1' })
  try {
    const from = (address: string, base = behind.url) =>
      new Client(base, { 'private-token': 'glpat-wrong', 'x-forwarded-for': address }).get('/user')
    const found: number[] = []
    const addresses = ['192.0.2.1', '2001:db8::1', '192.0.2.1', '2001:db8::2', '192.0.2.1', '2001:db8::3']
    for (const address of [...addresses, '192.0.2.1', '2001:db8::4', '192.0.2.2', '2001:db8:0:1::1'])
      found.push((await from(address)).status)
    expect(found).toEqual([401, 401, 401, 401, 401, 401, 429, 429, 401, 401])
    const spoofed: number[] = []
    for (const serial of [1, 2, 3, 4]) spoofed.push((await from(`192.0.2.${serial}`, own.url)).status)
    expect(spoofed).toEqual([401, 401, 401, 429])
  } finally {
    await behind.stop()
  }
})

describe('OAuth clients', () => {
  const ask = (path: string, form: Readonly<Record<string, string>>) =>
    own.anonymous.send('POST', `${own.url}/oauth/${path}`, { form: new URLSearchParams(form) })

  test('that are wrong about who they are count with wrong tokens, on every endpoint', async () => {
    const client = { client_id: 'nobody', client_secret: 'wrong' }
    const found = [
      (await ask('token', { ...client, grant_type: 'client_credentials' })).status,
      (await ask('introspect', { ...client, token: 'x' })).status,
      (await ask('revoke', { ...client, token: 'x' })).status,
      (await ask('authorize_device', client)).status,
      (await guess(1)).status,
    ]
    expect(found).toEqual([401, 401, 401, 429, 429])
    const { status, body, headers } = await ask('token', { ...client, grant_type: 'refresh_token' })
    expect([status, body]).toEqual([
      429,
      {
        error: 'temporarily_unavailable',
        error_description: 'Too many requests were refused. Try again later.',
      },
    ])
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
    const info = `${own.url}/oauth/token/info`
    const asked = await own.anonymous.send('GET', info, { headers: { authorization: 'Bearer x' } })
    expect(asked.status).toBe(429)
  })

  test('that proved it before go on', async () => {
    const made = await own.root.post('/applications', {
      name: 'App',
      redirect_uri: 'https://app.example/',
      scopes: 'api',
    })
    const { application_id: client_id, secret: client_secret } = made.body
    const introspect = () => ask('introspect', { client_id, client_secret, token: 'x' })
    expect((await introspect()).status).toBe(200)
    await guessThree()
    expect((await introspect()).status).toBe(200)
  })
})
