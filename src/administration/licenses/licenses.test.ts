import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { SignJWT } from 'jose'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { Client } from '#test/client.ts'
import { type LicenseTerms, readLicense, signLicense } from './license-string.ts'
import { ownKey } from './keys.ts'
import { openLicenseWorld } from './test-support.ts'

const { w, add, clear } = await openLicenseWorld()
beforeEach(clear)
afterAll(() => w.running.stop())

const today = () => w.clock.now().toISOString().slice(0, 10)
const post = (license: unknown) => w.root.post('/license', { license })
const refused = (reason: string) => ({
  status: 400,
  body: { message: expect.stringMatching(`^400 Bad request - The license ${reason}`) },
})
/** Of one that nobody can read. */
const unreadable = (reason: string) => ({
  status: 400,
  body: {
    message: 'The license key is invalid.',
    error: expect.stringContaining(`The license key is invalid. (it ${reason}`),
  },
})
const terms = async (): Promise<LicenseTerms> => readLicense(await w.licenseString()).terms

describe('without a license', () => {
  test('the current one is null, the list is empty, the plan is free', async () => {
    const { status, body, text, headers } = await w.root.get('/license')
    expect([status, body, text]).toEqual([200, null, 'null'])
    expect(headers.get('content-type')).toBe('application/json')
    expect(await w.root.get('/licenses')).toMatchObject({ status: 200, body: [] })
    expect(w.running.services.currentPlan()).toBe('free')
  })
})

describe('adding a license', () => {
  test('answers with exactly the fields of the specification, as showing it does', async () => {
    w.clock.hold('2026-03-01T10:00:00Z')
    const license = await w.licenseString({
      plan: 'ultimate',
      expires_at: '2027-03-01',
      users: 10,
      licensee: { Name: 'Ada', Email: 'ada@example.com', Company: 'Engines' },
      add_ons: { Auditors: 2 },
    })
    const { status, body } = await post(license)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      plan: 'ultimate',
      created_at: '2026-03-01T10:00:00.000Z',
      starts_at: '2026-03-01',
      expires_at: '2027-03-01',
      historical_max: 0,
      maximum_user_count: 0,
      expired: false,
      overage: 0,
      user_limit: 10,
      active_users: 0,
      licensee: { Name: 'Ada', Email: 'ada@example.com', Company: 'Engines' },
      add_ons: { Auditors: 2 },
    })
    expect(await w.root.get('/license')).toMatchObject({ status: 200, body })
    expect(await w.root.get(`/license/${body.id}`)).toMatchObject({ status: 200, body })
    const { active_users: _, ...listed } = body
    expect((await w.root.get('/licenses')).body).toEqual([listed])
    expect(w.running.services.currentPlan()).toBe('ultimate')
  })

  test('takes the string with line breaks, as a form, and in the query', async () => {
    const wrapped = (await w.licenseString()).replace(/.{60}/g, '$&\r\n')
    expect((await post(` ${wrapped}\n`)).status).toBe(201)
    const form = new URLSearchParams({ license: await w.licenseString() })
    expect((await w.root.send('POST', '/license', { form })).status).toBe(201)
    expect((await w.root.post(`/license?license=${await w.licenseString()}`)).status).toBe(201)
  })

  test('is a fact, as deleting is, with what it gave', async () => {
    const { id, starts_at, expires_at } = await add({ plan: 'ultimate' })
    await w.root.delete(`/license/${id}`)
    const facts = await w.db
      .selectFrom('facts')
      .select(['name', 'actor_id', 'details'])
      .where('target_type', '=', 'License')
      .where('target_id', '=', id)
      .orderBy('id')
      .execute()
    const details = { plan: 'ultimate', starts_at, expires_at, company: 'Tests' }
    expect(facts).toEqual([
      { name: 'license added', actor_id: 1, details },
      { name: 'license deleted', actor_id: 1, details },
    ])
  })

  test('needs few statements, as lists do', async () => {
    await add()
    expect((await w.statements(() => w.root.get('/license'))).length).toBe(3)
    expect((await w.statements(() => w.root.get('/licenses'))).length).toBe(3)
  })
})

describe('a license is refused with the reason', () => {
  const sign = async (key: KeyObject, more: object = {}) => signLicense({ ...(await terms()), ...more }, key)
  const own = () => ownKey(w.running.services.secrets)

  test('when somebody else signed it, or nobody did', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const notSigned = refused('is not signed by a key that this instance trusts')
    expect(await post(await sign(privateKey))).toMatchObject(notSigned)
    const [head = '', body = '', signature = ''] = (await w.licenseString()).split('.')
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const more = encoded({ ...(await terms()), users: 1_000_000 })
    expect(await post(`${head}.${more}.${signature}`)).toMatchObject(notSigned)
    expect(await post(`${encoded({ alg: 'none' })}.${body}.${signature}`)).toMatchObject(notSigned)
    expect(
      await post(`${encoded({ alg: 'EdDSA', crit: ['b64'], b64: false })}.${body}.${signature}`),
    ).toMatchObject(notSigned)
    // A public key is no secret: a signature made with it as a shared one counts for nothing.
    const shared = createPublicKey(await own()).export({ format: 'der', type: 'spki' })
    const confused = await new SignJWT({ ...(await terms()) })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(shared)
    expect(await post(confused)).toMatchObject(notSigned)
    // Nor does the key that a license brings along.
    const jwk = publicKey.export({ format: 'jwk' })
    const brought = await new SignJWT({ ...(await terms()) })
      .setProtectedHeader({ alg: 'EdDSA', jwk: { kty: 'OKP', crv: 'Ed25519', x: String(jwk.x) } })
      .sign(privateKey)
    expect(await post(brought)).toMatchObject(notSigned)
  })

  test.each<[string, string | ((valid: string) => string)]>([
    ['is not a signed text', 'nonsense'],
    ['is not a signed text', (valid) => valid.slice(0, valid.lastIndexOf('.'))],
    ['is not a signed text', (valid) => `${valid}.more`],
    ['is not a signed text', (valid) => valid.replace('.', '.=')],
    ['holds no JSON', (valid) => valid.replace(/\..*\./, '.bm8.')],
    ['must have required properties jti, plan', (valid) => valid.replace(/\..*\./, '.e30.')],
    ['must be object', (valid) => valid.replace(/\..*\./, '.NDI.')],
  ])('when it is malformed: it %s', async (reason, given) => {
    const text = typeof given === 'string' ? given : given(await w.licenseString())
    expect(await post(text)).toMatchObject(unreadable(reason))
  })

  test.each<[object, string]>([
    [{ plan: 'gold' }, 'has a wrong plan'],
    [{ users: -1 }, 'has a wrong users'],
    [{ users: '5' }, 'has a wrong users'],
    [{ users: 2_147_483_648 }, 'has a wrong users'],
    [{ starts_at: '2026-02-30' }, 'has a start that is no day'],
    [{ expires_at: '2027-13-01' }, 'has an end that is no day'],
    [{ starts_at: 'today' }, 'has a wrong starts_at'],
    [{ starts_at: '2030-01-01', expires_at: '2030-01-01' }, 'ends before it starts'],
    [{ licensee: { Name: 'x', Email: 'x' } }, 'has a wrong licensee'],
    [{ licensee: { Name: 'x', Email: 'x', Company: 'a\0b' } }, 'has a wrong licensee.Company'],
    [{ add_ons: { Auditors: 'many' } }, 'has a wrong add_ons.Auditors'],
  ])('when it is signed but says %j', async (more, reason) => {
    expect(await post(await sign(await own(), more))).toMatchObject(unreadable(reason))
  })

  test('when it is over: its last day was yesterday', async () => {
    w.clock.hold('2026-03-10T00:00:00Z')
    const over = await w.licenseString({ starts_at: '2026-03-01', expires_at: '2026-03-10' })
    expect(await post(over)).toMatchObject(refused('has already expired: it ended on 2026-03-10'))
    w.clock.hold('2026-03-09T23:59:59Z')
    expect((await post(over)).status).toBe(201)
  })

  test('when it was added before, also at the same moment and in another spelling', async () => {
    const license = await w.licenseString()
    const answers = await Promise.all([post(license), post(license), post(license)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400, 400])
    expect(await post(license)).toMatchObject(refused('has already been added'))
    // The last letter of a signature has bits that count for nothing.
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
    const twin = license.slice(0, -1) + letters[letters.indexOf(license.at(-1) ?? '') ^ 1]
    expect(await post(twin)).toMatchObject({ status: 400 })
    expect((await w.root.get('/licenses')).body).toHaveLength(1)
  })

  test('when the parameter is missing, blank or too long', async () => {
    expect((await w.root.post('/license', {})).body).toEqual({
      message: '400 (Bad request) "license" not given',
      error: 'license is missing',
    })
    expect((await post('')).status).toBe(400)
    expect((await post('x'.repeat(20_001))).body.error).toBe(
      'license is too long (maximum is 20000 characters)',
    )
  })
})

describe('keys of the configuration', () => {
  const pair = () => generateKeyPairSync('ed25519')
  const pem = (key: KeyObject) => key.export({ format: 'pem', type: 'spki' })

  test('are trusted beside the own one, in PEM and as JWK', async () => {
    const [one, two] = [pair(), pair()]
    const jwks = { keys: [one, two].map(({ publicKey }) => publicKey.export({ format: 'jwk' })) }
    for (const text of [pem(one.publicKey) + pem(two.publicKey), JSON.stringify(jwks)]) {
      const node = await w.another(undefined, { FORGELET_LICENSE_PUBLIC_KEYS: text })
      try {
        const root = new Client(node.url, w.root.headers)
        for (const { privateKey } of [one, two]) {
          const license = await signLicense(await terms(), privateKey)
          expect((await root.post('/license', { license })).status).toBe(201)
        }
        expect((await root.post('/license', { license: await w.licenseString() })).status).toBe(201)
        const strange = await signLicense(await terms(), pair().privateKey)
        expect((await root.post('/license', { license: strange })).status).toBe(400)
      } finally {
        await node.stop()
      }
    }
  })
})

describe('one license', () => {
  test('that does not exist is 404 for every method', async () => {
    const missing = { status: 404, body: { message: '404 Not found' } }
    expect(await w.root.get('/license/999999999')).toMatchObject(missing)
    expect(await w.root.delete('/license/999999999')).toMatchObject(missing)
    expect(await w.root.put('/license/999999999/refresh_billable_users')).toMatchObject(missing)
    expect((await w.root.get('/license/x')).body.error).toBe('id is invalid')
  })

  test('is deleted at once, unless it was made after the moment that is named', async () => {
    const { id } = await add()
    const headers = { 'if-unmodified-since': 'Thu, 01 Jan 2015 00:00:00 GMT' }
    expect((await w.root.delete(`/license/${id}`, undefined, { headers })).status).toBe(412)
    expect(w.running.services.currentPlan()).toBe('premium')
    expect(await w.root.delete(`/license/${id}`)).toMatchObject({ status: 204, text: '' })
    expect(w.running.services.currentPlan()).toBe('free')
    expect((await w.root.delete(`/license/${id}`)).status).toBe(404)
  })

  test('is for administrators: others get 403, nobody 401', async () => {
    const { id } = await add()
    const user = await w.user()
    const paths = ['/license', '/licenses', `/license/${id}`, '/license/usage_export.csv']
    for (const path of paths) {
      expect(await user.get(path)).toMatchObject({ status: 403, body: { message: '403 Forbidden' } })
      expect(await w.anonymous.get(path)).toMatchObject({ status: 401 })
    }
    expect((await user.post('/license', { license: 'x' })).status).toBe(403)
    expect((await user.delete(`/license/${id}`)).status).toBe(403)
    expect((await user.put(`/license/${id}/refresh_billable_users`)).status).toBe(403)
    expect((await w.anonymous.delete(`/license/${id}`)).status).toBe(401)
    expect((await w.root.get(`/license/${id}`)).status).toBe(200)
  })
})

describe('the list', () => {
  test('has future and expired ones, the last added first, in pages', async () => {
    w.clock.hold('2026-03-01T10:00:00Z')
    const short = await add({ expires_at: '2026-03-02' })
    const future = await add({ starts_at: '2026-06-01', expires_at: '2027-06-01' })
    const long = await add({ expires_at: '2027-03-01' })
    w.clock.hold('2026-04-01T10:00:00Z')
    const { body, headers } = await w.root.get('/licenses?per_page=2')
    expect(body.map(({ id, expired }: { id: number; expired: boolean }) => [id, expired])).toEqual([
      [long.id, false],
      [future.id, false],
    ])
    expect(headers.get('x-total')).toBe('3')
    expect((await w.root.get('/licenses?per_page=2&page=2')).body).toMatchObject([
      { id: short.id, expired: true },
    ])
  })
})

describe('the license that counts', () => {
  const current = async () => (await w.root.get('/license')).body?.id
  const plan = () => w.running.services.currentPlan()

  test('is one with a future start from its day on, with nothing restarted', async () => {
    w.clock.hold('2026-03-01T23:59:59.999Z')
    const { id } = await add({ plan: 'ultimate', starts_at: '2026-03-02', expires_at: '2026-04-01' })
    expect([await current(), plan()]).toEqual([undefined, 'free'])
    w.clock.hold('2026-03-02T00:00:00Z')
    expect([await current(), plan()]).toEqual([id, 'ultimate'])
  })

  test('is the one that started last; when it is over, the one below it again', async () => {
    w.clock.hold('2026-03-01T10:00:00Z')
    const year = await add({ expires_at: '2027-03-01' })
    const trial = await add({ plan: 'ultimate', starts_at: '2026-03-10', expires_at: '2026-03-20' })
    const older = await add({ plan: 'ultimate', starts_at: '2026-01-01', expires_at: '2028-01-01' })
    const seen: unknown[] = []
    for (const day of ['2026-03-09', '2026-03-10', '2026-03-19', '2026-03-20', '2027-03-01', '2028-01-01']) {
      w.clock.hold(`${day}T12:00:00Z`)
      seen.push([day, await current(), plan()])
    }
    expect(seen).toEqual([
      ['2026-03-09', year.id, 'premium'],
      ['2026-03-10', trial.id, 'ultimate'],
      ['2026-03-19', trial.id, 'ultimate'],
      ['2026-03-20', year.id, 'premium'],
      ['2027-03-01', older.id, 'ultimate'],
      ['2028-01-01', older.id, 'free'],
    ])
  })

  test('is the one added last of two that start on one day', async () => {
    await add({ plan: 'ultimate' })
    const { id } = await add({ plan: 'premium' })
    expect([await current(), plan()]).toEqual([id, 'premium'])
  })

  test('expires on its day while servers run, on every one, and stays to be looked at', async () => {
    w.clock.hold('2026-03-01T10:00:00Z')
    const node = await w.another()
    try {
      const there = new Client(node.url, w.root.headers)
      const { id } = await add({ plan: 'ultimate', expires_at: '2026-03-05' })
      await vi.waitFor(() => expect(node.services.currentPlan()).toBe('ultimate'), { timeout: 1_000 })
      w.clock.hold('2026-03-04T23:59:59Z')
      expect([plan(), node.services.currentPlan()]).toEqual(['ultimate', 'ultimate'])
      w.clock.hold('2026-03-05T00:00:00Z')
      expect([plan(), node.services.currentPlan()]).toEqual(['free', 'free'])
      expect((await there.get('/license')).body).toMatchObject({ id, expired: true })
      await w.root.delete(`/license/${id}`)
      await vi.waitFor(async () => expect((await there.get('/license')).body).toBeNull(), { timeout: 1_000 })
    } finally {
      await node.stop()
    }
  })

  test('is seen by every process within a second of the commit', async () => {
    const node = await w.another()
    try {
      const { id } = await add({ plan: 'ultimate' })
      const committed = performance.now()
      await vi.waitFor(() => expect(node.services.currentPlan()).toBe('ultimate'), {
        timeout: 1_000,
        interval: 2,
      })
      console.log(
        `a license is seen elsewhere ${(performance.now() - committed).toFixed(1)} ms after its answer`,
      )
      await w.root.delete(`/license/${id}`)
      await vi.waitFor(() => expect(node.services.currentPlan()).toBe('free'), { timeout: 1_000 })
    } finally {
      await node.stop()
    }
  })
})

test('a world may have a plan for a while', async () => {
  expect(await w.onPlan('ultimate', async () => w.running.services.currentPlan())).toBe('ultimate')
  expect(w.running.services.currentPlan()).toBe('free')
  expect(today()).toMatch(/^\d{4}-/)
})
