import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { daysAfter } from '#platform/http/time.ts'
import { Client } from '#test/client.ts'
import { type Actor, unique } from '#test/world.ts'
import { billableUnder, countBillableUsers } from '#identity/users/billable-users.ts'
import { countBillable } from './count-billable-users.ts'
import { openLicenseWorld } from './test-support.ts'

const { w, add, clear, counted } = await openLicenseWorld()
beforeEach(clear)
afterAll(() => w.running.stop())

const today = () => w.clock.now().toISOString().slice(0, 10)
const users = () => countBillableUsers(w.db, today())

/** By how much the two numbers differ after `work`. */
async function change(work: () => Promise<unknown>): Promise<[number, number]> {
  const before = await users()
  await work()
  const after = await users()
  return [after.everybody - before.everybody, after.aboveGuest - before.aboveGuest]
}

async function member(level: number, expiresAt: string | null = null): Promise<Actor> {
  const group = await w.group()
  const user = await w.user()
  await w.root.post(`/groups/${group.id}/members`, {
    user_id: user.id,
    access_level: level,
    ...(expiresAt === null ? {} : { expires_at: expiresAt }),
  })
  return user
}

describe('a seat is taken', () => {
  test('by everybody, but under Ultimate not by who has no role above Guest anywhere', async () => {
    expect(await change(() => w.user())).toEqual([1, 0])
    const group = await w.group()
    const user = await w.user()
    expect(await change(() => w.member(group.id, user, 10))).toEqual([0, 0])
    for (const level of [15, 20, 25, 30, 40, 50] as const) {
      const place = await w.group()
      const other = await w.user()
      expect([level, ...(await change(() => w.member(place.id, other, level)))]).toEqual([level, 0, 1])
      const project = await w.project()
      expect(await change(() => w.member(project.namespaceId, other, level))).toEqual([0, 0])
    }
  })

  test('by the owner of a personal project', async () => {
    const user = await w.user()
    expect(await change(() => user.post('/projects', { name: unique('Own') }))).toEqual([0, 1])
  })

  test('by administrators as by others', async () => {
    expect(await change(() => w.user({ admin: true }))).toEqual([1, 0])
  })

  test('not by bots, and not by the ghost', async () => {
    const { id, owner } = await w.project()
    const token = { name: 'ci', scopes: ['api'], access_level: 40 }
    expect(
      await change(async () =>
        expect((await owner.post(`/projects/${id}/access_tokens`, token)).status).toBe(201),
      ),
    ).toEqual([0, 0])
  })

  test.each(['blocked', 'banned', 'deactivated', 'blocked_pending_approval'] as const)(
    'not by somebody who is %s',
    async (state) => {
      const user = await member(30)
      expect(
        await change(() => w.db.updateTable('users').set({ state }).where('id', '=', user.id).execute()),
      ).toEqual([-1, -1])
    },
  )

  test('not by somebody who is being deleted', async () => {
    const user = await member(30)
    expect(await change(() => w.root.delete(`/users/${user.id}`))).toEqual([-1, -1])
  })

  test('under Ultimate no longer once the membership is over, or its place is deleted', async () => {
    w.clock.hold('2026-03-01T10:00:00Z')
    await member(30, '2026-03-05')
    expect(await change(async () => w.clock.hold('2026-03-04T10:00:00Z'))).toEqual([0, 0])
    expect(await change(async () => w.clock.hold('2026-03-05T10:00:00Z'))).toEqual([0, -1])
    const user = await w.user()
    const { body } = await user.post('/groups', { name: 'x', path: unique('x') })
    expect(await change(() => user.delete(`/groups/${body.id}`))).toEqual([0, -1])
  })

  test('as every account says by itself', async () => {
    await member(10)
    await member(30, daysAfter(today(), 1))
    for (const plan of ['premium', 'ultimate'] as const) {
      await w.onPlan(plan, async () => {
        let seats = 0
        for (let page = 1; ; page += 1) {
          const { body } = await w.root.get(`/users?per_page=100&page=${page}`)
          if (body.length === 0) break
          seats += body.filter((user: { using_license_seat: boolean }) => user.using_license_seat).length
        }
        expect([plan, seats]).toEqual([plan, billableUnder(plan, await users())])
        expect((await w.root.get('/user')).body.using_license_seat).toBe(plan === 'premium')
      })
    }
  })

  test('and namespaces name the plan', async () => {
    const { id, owner } = await w.group()
    const plan = async () => (await owner.get(`/namespaces/${id}`)).body.plan
    expect([await plan(), await w.onPlan('ultimate', plan)]).toEqual(['free', 'ultimate'])
  })
})

describe('the numbers of a license', () => {
  const shown = async (id: number) => (await w.root.get(`/license/${id}`)).body

  beforeAll(() => member(30))

  test('overage is what goes beyond the limit, of the users now', async () => {
    const { everybody, aboveGuest } = await users()
    const { id } = await add({ users: 1 })
    expect(await shown(id)).toMatchObject({
      user_limit: 1,
      active_users: everybody,
      historical_max: everybody,
      maximum_user_count: everybody,
      overage: everybody - 1,
    })
    const free = await add({ plan: 'ultimate', users: 1 })
    expect(await shown(free.id)).toMatchObject({ active_users: aboveGuest, overage: aboveGuest - 1 })
    await w.user()
    expect(await shown(id)).toMatchObject({
      active_users: everybody + 1,
      historical_max: everybody,
      maximum_user_count: everybody + 1,
      overage: everybody,
    })
  })

  test('is 0 within the limit, and without one', async () => {
    for (const limit of [1_000_000, 0]) expect(await add({ users: limit })).toMatchObject({ overage: 0 })
  })

  test('of the highest number that was counted, once it has expired', async () => {
    w.clock.hold('2026-03-01T10:00:00Z')
    const { everybody } = await users()
    const { id } = await add({ users: 1, expires_at: '2026-03-05' })
    const count = (day: string, everyone: number) =>
      w.db
        .insertInto('billable_user_counts')
        .values({ day, everybody: everyone, above_guest: 3 })
        .onConflict((conflict) => conflict.column('day').doUpdateSet({ everybody: everyone }))
        .execute()
    await count('2026-02-28', 9_000) // before it
    await count('2026-03-04', 500) // its last day
    await count('2026-03-05', 8_000) // after it
    expect(await shown(id)).toMatchObject({ historical_max: 500, overage: everybody - 1, expired: false })
    w.clock.hold('2026-03-05T10:00:00Z')
    expect(await shown(id)).toMatchObject({
      historical_max: 500,
      maximum_user_count: 500,
      active_users: everybody,
      overage: 499,
      expired: true,
    })
    expect((await w.root.get('/licenses')).body).toMatchObject([{ id, overage: 499 }])
  })
})

describe('counting', () => {
  test('is asked for with 202, and done by a job', async () => {
    const { id } = await add()
    await w.db.deleteFrom('billable_user_counts').execute()
    const { status, body } = await w.root.put(`/license/${id}/refresh_billable_users`)
    expect([status, body]).toEqual([202, { success: true }])
    const { everybody } = await users()
    expect(await counted(today(), everybody)).toBe(everybody)
    expect((await w.root.get('/license')).body.historical_max).toBe(everybody)
  })

  test('keeps the highest number of a day, however often and wherever it runs', async () => {
    const run = () =>
      countBillable.execute(
        {},
        {
          ...w.running.services,
          log: w.running.app.log,
          attempt: 1,
          signal: AbortSignal.timeout(10_000),
          transact: (work) => w.write(work),
        },
      )
    const user = await w.user()
    const { everybody } = await users()
    await Promise.all([run(), run(), run()])
    await w.root.post(`/users/${user.id}/block`)
    await run()
    expect(await users()).toMatchObject({ everybody: everybody - 1 })
    expect(await counted(today())).toBe(everybody)
  })
})

describe('the export of usage', () => {
  const table = (text: string): string[][] =>
    parse(text, { relax_column_count: true, skip_empty_lines: false })
  const exported = async () => {
    const answer = await w.root.get('/license/usage_export.csv')
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename=".+\.csv"$/)
    return answer.text
  }
  /** A number for each of so many days from one on. */
  const fill = (from: string, days: number) =>
    w.db
      .insertInto('billable_user_counts')
      .values(
        Array.from({ length: days }, (_, index) => ({
          day: daysAfter(from, index),
          everybody: index,
          above_guest: index + 5,
        })),
      )
      .onConflict((conflict) => conflict.doNothing())
      .execute()

  test('has the header lines, a blank row and the days of the license', async () => {
    w.clock.hold('2026-03-03T10:11:12.345Z')
    const license = await w.licenseString({
      starts_at: '2026-03-01',
      expires_at: '2026-03-04',
      licensee: { Name: 'Ada', Email: 'ada@example.com', Company: 'Engines, "Ltd"' },
    })
    await w.root.post('/license', { license })
    await w.db.deleteFrom('billable_user_counts').execute()
    await fill('2026-02-27', 8)
    const text = await exported()
    expect(text.split('\n')[6]).toBe('')
    expect(table(text)).toEqual([
      ['License Key', license],
      ['Email', 'ada@example.com'],
      ['License Start Date', '2026-03-01'],
      ['License End Date', '2026-03-04'],
      ['Company', 'Engines, "Ltd"'],
      ['Generated At', '2026-03-03T10:11:12.345Z'],
      [''],
      ['Date', 'Billable User Count'],
      ['2026-03-01', '2'],
      ['2026-03-02', '3'],
      ['2026-03-03', '4'],
    ])
    const twin = await w.root.get('/license/usage_export')
    expect([twin.status, twin.text]).toEqual([200, text])
  })

  test('leaves guests out under Ultimate', async () => {
    w.clock.hold('2026-03-01T10:00:00Z')
    await add({ plan: 'ultimate' })
    await w.db.deleteFrom('billable_user_counts').execute()
    await fill('2026-03-01', 1)
    expect(table(await exported()).at(-1)).toEqual(['2026-03-01', '5'])
  })

  test('lets no value become a formula', async () => {
    await add({ licensee: { Name: 'x', Email: '=1+1', Company: '@SUM(A1:A9)' } })
    const rows = new Map(table(await exported()).map(([name = '', value = '']) => [name, value]))
    expect([rows.get('Email'), rows.get('Company')]).toEqual(["'=1+1", "'@SUM(A1:A9)"])
  })

  test('is there without a license, with all days, also many of them', async () => {
    await fill('2020-01-01', 1_234)
    const rows = table(await exported())
    expect(rows.slice(0, 2)).toEqual([
      ['License Key', ''],
      ['Email', ''],
    ])
    expect(rows).toHaveLength(8 + 1_234)
    const days = rows.slice(8).map(([day]) => day)
    expect(days).toEqual(Array.from({ length: 1_234 }, (_, index) => daysAfter('2020-01-01', index)))
  })

  test('answers HEAD as GET, without a body', async () => {
    const exports = () =>
      w.db.selectFrom('facts').select('id').where('name', '=', 'license usage exported').execute()
    const before = (await exports()).length
    const { status, text, headers } = await w.root.head('/license/usage_export.csv')
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'text/csv; charset=utf-8'])
    // Nothing was exported.
    expect((await exports()).length).toBe(before)
  })
})

describe('on the hosted offering', () => {
  test('there are no licenses, whoever asks', async () => {
    const { id } = await add()
    const hosted = await w.another(undefined, { FORGELET_OFFERING: 'hosted' })
    try {
      const message = '403 Forbidden - Licenses needs the offering self-managed or dedicated'
      for (const { headers } of [w.root, await w.user()]) {
        const client = new Client(hosted.url, headers)
        for (const path of ['/license', '/licenses', `/license/${id}`, '/license/usage_export.csv'])
          expect(await client.get(path)).toMatchObject({ status: 403, body: { message } })
        expect(await client.post('/license', {})).toMatchObject({ status: 403, body: { message } })
        expect(await client.delete(`/license/${id}`)).toMatchObject({ status: 403, body: { message } })
      }
      expect((await new Client(hosted.url).get('/license')).status).toBe(401)
      const { body } = await w.anonymous.get('/openapi.json')
      const { description } = body.paths['/license/{id}'].get
      expect(description).toMatch(
        /^For administrators\. .+ Only on the offering self-managed or dedicated\.$/,
      )
    } finally {
      await hosted.stop()
    }
  })
})
