import { afterAll, beforeEach, expect, test } from 'vitest'
import { daysAfter } from '#platform/http/time.ts'
import { readLicense } from './license-string.ts'
import { openLicenseWorld } from './test-support.ts'

const { w, clear } = await openLicenseWorld()
beforeEach(clear)
afterAll(() => w.running.stop())

const at = '/license/issue'
const today = () => w.clock.now().toISOString().slice(0, 10)

test('an instance issues a license to itself, for a year, in the name of who asks', async () => {
  const ada = await w.user({ admin: true, name: 'Ada' })
  const { status, body } = await ada.post(at, { plan: 'ultimate' })
  expect(status).toBe(201)
  const { body: me } = await ada.get('/user')
  expect(body).toMatchObject({
    plan: 'ultimate',
    starts_at: today(),
    expires_at: daysAfter(today(), 365),
    user_limit: 0,
    licensee: { Name: 'Ada', Email: me.email, Company: 'Ada' },
    add_ons: {},
  })
  expect((await w.root.get('/license')).body.id).toBe(body.id)
  expect(w.running.services.currentPlan()).toBe('ultimate')
  const { data } = await w.db.selectFrom('licenses').select('data').executeTakeFirstOrThrow()
  expect(readLicense(data).terms.plan).toBe('ultimate')
  const { body: events } = await w.root.get('/audit_events?per_page=2')
  expect(events.map((one: { event_name: string }) => one.event_name).toSorted()).toEqual([
    'license_added',
    'license_issued',
  ])
})

test('whoever asks says more of it', async () => {
  const asked = {
    plan: 'premium',
    starts_at: '2999-01-01',
    expires_at: '2999-02-01',
    users: 7,
    name: 'Grace',
    email: 'grace@example.com',
    company: 'Navy',
  }
  const { status, body } = await w.root.post(at, asked)
  expect(status).toBe(201)
  const { users, name, email, company, ...terms } = asked
  const licensee = { Name: name, Email: email, Company: company }
  expect(body).toMatchObject({ ...terms, user_limit: users, licensee })
})

test.each([
  [{}, 'plan is missing'],
  [{ plan: 'free' }, 'plan does not have a valid value'],
  [{ plan: 'premium', expires_at: '2020-01-01' }, 'expires_at is not in the future'],
  [
    { plan: 'premium', starts_at: '2999-01-02', expires_at: '2999-01-01' },
    'expires_at is not after starts_at',
  ],
  [{ plan: 'premium', expires_at: 'soon' }, 'expires_at is invalid'],
  [{ plan: 'premium', users: -1 }, 'users does not have a valid value'],
  [{ plan: 'premium', company: 'x'.repeat(256) }, 'company is too long'],
])('%j is refused', async (asked, reason) => {
  const { status, body } = await w.root.post(at, asked)
  expect([status, JSON.stringify(body).includes(reason)]).toEqual([400, true])
  expect((await w.root.get('/licenses')).body).toEqual([])
})

test('a name of the longest kind is taken, wherever it is cut', async () => {
  const company = `${'x'.repeat(254)}😀`
  const { status, body } = await w.root.post(at, { plan: 'premium', company })
  expect([status, body.licensee.Company]).toEqual([201, `${'x'.repeat(254)}\ufffd`])
  await w.root.delete(`/license/${body.id}`)
})

test('others may not', async () => {
  expect((await (await w.user()).post(at, { plan: 'premium' })).status).toBe(403)
  expect((await w.anonymous.post(at, { plan: 'premium' })).status).toBe(401)
})
