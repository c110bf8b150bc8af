import { sql } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { w } from '#test/world.ts'
import { failure, newId, ofEvent, tracked } from '../test-support.ts'

const message = (text: string, more: object = {}) => ({ event_id: newId(), message: text, ...more })

/** The error of the only event of a project. */
async function reported(place: Awaited<ReturnType<typeof tracked>>, event: object = failure()) {
  await place.report(event)
  await place.expectErrors([{ events_count: 1 }])
  const [error] = await place.errors()
  return error
}

describe('an error', () => {
  test('has its counts, its places, and the stack trace of its latest event', async () => {
    const place = await tracked(w)
    const at = Math.floor(Date.now() / 1000) - 120
    await place.report(
      failure('one', { timestamp: at, user: { id: 1 }, release: 'app@1.0.0', environment: 'staging' }),
    )
    await place.report(failure('two', { timestamp: at + 60, user: { id: 2 }, release: 'app@1.1.0' }))
    await place.report(failure('three', { timestamp: at + 30, user: { id: 1 }, release: 'app@1.1.0' }))
    await place.expectErrors([{ events_count: 3, users_count: 2 }])
    const [brief] = await place.errors()
    const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
    expect(brief).toEqual({
      id: expect.any(Number),
      title: 'TypeError: three',
      type: 'TypeError',
      culprit: '/app/src/pay.js in pay',
      level: 'error',
      platform: 'node',
      status: 'unresolved',
      resolved_in_release: null,
      status_changed_at: null,
      events_count: 3,
      users_count: 2,
      first_seen_at: iso(at),
      last_seen_at: iso(at + 60),
      reopened_at: null,
      issue: null,
      web_url: `${w.url}/-/projects/${place.id}/error_tracking/${brief.id}`,
    })
    const whole = await place.get(brief.id)
    expect(whole).toMatchObject({
      ...brief,
      releases: [
        { name: 'app@1.1.0', events_count: 2, first_seen_at: iso(at + 30), last_seen_at: iso(at + 60) },
        { name: 'app@1.0.0', events_count: 1 },
      ],
      environments: [{ name: 'staging', events_count: 1 }],
      latest_event: {
        level: 'error',
        release: 'app@1.1.0',
        exceptions: [
          {
            type: 'TypeError',
            value: 'three',
            handled: false,
            frames: [
              { in_app: false },
              { function: 'pay', filename: '/app/src/pay.js', lineno: 12, colno: 7, in_app: true },
            ],
          },
        ],
      },
    })
    expect(
      whole.hours.reduce((sum: number, hour: { events_count: number }) => sum + hour.events_count, 0),
    ).toBe(3)
  })

  test('has the calls of its sources where the program maps them, as they come', async () => {
    const place = await tracked(w)
    const frame = {
      function: 'pay',
      filename: 'webpack://shop/./src/pay.ts?1f3a',
      abs_path: 'webpack://shop/./src/pay.ts?1f3a',
      lineno: 7,
      colno: 11,
      in_app: true,
      pre_context: ['export function pay(order: Order) {'],
      context_line: '  throw new TypeError(`order ${order.id}`)',
      post_context: ['}'],
    }
    const mapped = (more: object) =>
      failure('order 1', {
        exception: {
          values: [{ type: 'TypeError', value: 'order 1', stacktrace: { frames: [{ ...frame, ...more }] } }],
        },
        debug_meta: { images: [{ type: 'sourcemap', debug_id: 'x', code_file: '/app/dist/shop.js' }] },
      })
    const { latest_event } = await reported(place, mapped({})).then(({ id }) => place.get(id))
    const { abs_path: _, ...shown } = frame
    expect(latest_event.exceptions[0].frames).toEqual([{ ...shown, module: null, vars: null }])
    // Another build has other lines and digests.
    await place.report(mapped({ filename: 'webpack://shop/./src/pay.ts?77aa', lineno: 9 }))
    await place.expectErrors([{ events_count: 2, culprit: 'webpack://shop/./src/pay.ts?77aa in pay' }])
  })

  test('counts every event, and keeps the first twenty of each hour as a whole', async () => {
    const place = await tracked(w)
    const sent = await Promise.all(Array.from({ length: 30 }, () => place.send(ofEvent(failure()))))
    expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([200]))
    await place.expectErrors([{ events_count: 30 }])
    const [{ id }] = await place.errors()
    const { kept } = await w.db
      .selectFrom('error_events')
      .select((eb) => eb.fn.countAll<number>().as('kept'))
      .where('error_id', '=', id)
      .executeTakeFirstOrThrow()
    expect(kept).toBe(20)
    const last = { event_id: 'f'.repeat(32), exceptions: [{ value: 'other' }] }
    await w.db
      .updateTable('error_hours')
      .set({ recorded_at: new Date(Date.now() - 3_600_000).toISOString() })
      .where('error_id', '=', id)
      .execute()
    await place.report(failure('other', { event_id: last.event_id }))
    await place.expectErrors([{ events_count: 31 }])
    const events = (query: string) => place.reporter.get(`${place.base}/errors/${id}/events${query}`)
    const first = await events('?per_page=2&pagination=keyset')
    expect(first.body).toMatchObject([last, { exceptions: [{ value: 'it failed' }] }])
    const { body: all } = await events('?per_page=100')
    expect(all.length).toBe(21)
    expect((await place.get(id)).latest_event).toEqual(all[0])
    const [, next = ''] = /<[^>]+(\?[^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? []
    expect((await events(next)).body).toEqual(all.slice(2, 4))
  })

  test('that another project has is not there', async () => {
    const [one, other] = [await tracked(w), await tracked(w)]
    const { id } = await reported(one)
    expect(await other.maintainer.get(`${other.base}/errors/${id}`)).toMatchObject({
      status: 404,
      body: { message: '404 Error Not Found' },
    })
    expect((await other.maintainer.put(`${other.base}/errors/${id}`, { status: 'resolved' })).status).toBe(
      404,
    )
    expect(await other.errors()).toEqual([])
    expect((await one.stranger.get(`${one.base}/errors/${id}`)).status).toBe(404)
    expect((await one.guest.get(`${one.base}/errors/${id}`)).status).toBe(403)
    expect((await other.maintainer.get(`${other.base}/errors/${id}/events`)).status).toBe(404)
  })

  test('keeps events apart from wrong clocks', async () => {
    const place = await tracked(w)
    const before = Date.now() - 1000
    const { first_seen_at, last_seen_at } = await reported(place, failure('x', { timestamp: 4_000_000_000 }))
    expect(first_seen_at).toBe(last_seen_at)
    expect(Math.abs(Date.parse(first_seen_at) - before)).toBeLessThan(60_000)
  })
})

describe('the list', () => {
  test('has filters by status and text, orders, and pages by keys', async () => {
    const place = await tracked(w)
    const at = Math.floor(Date.now() / 1000) - 600
    await place.report(message('alpha broke', { timestamp: at }))
    await place.report(message('beta broke', { timestamp: at + 60 }))
    await place.report(message('beta broke', { timestamp: at + 61 }))
    await place.report(message('gamma broke', { timestamp: at - 60 }))
    await place.expectErrors([
      { title: 'beta broke', events_count: 2 },
      { title: 'alpha broke' },
      { title: 'gamma broke' },
    ])
    const titles = async (query: string) =>
      (await place.errors(query)).map(({ title }: { title: string }) => title)
    expect(await titles('?order_by=last_seen&sort=asc')).toEqual(['gamma broke', 'alpha broke', 'beta broke'])
    expect(await titles('?order_by=first_seen')).toEqual(['beta broke', 'alpha broke', 'gamma broke'])
    expect((await titles('?order_by=frequency'))[0]).toBe('beta broke')
    expect(await titles('?query=ALPHA')).toEqual(['alpha broke'])
    expect(await titles('?query=100%25')).toEqual([])
    expect(await titles('?status=resolved')).toEqual([])
    const [{ id }] = await place.errors()
    await place.maintainer.put(`${place.base}/errors/${id}`, { status: 'resolved' })
    expect(await titles('?status=resolved')).toEqual(['beta broke'])
    expect(await titles('')).toEqual(['alpha broke', 'gamma broke'])
    const first = await place.maintainer.get(`${place.base}/errors?pagination=keyset&per_page=1`)
    expect(first.body).toMatchObject([{ title: 'alpha broke' }])
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await place.maintainer.get(next.slice(next.indexOf('/projects')))
    expect(second.body).toMatchObject([{ title: 'gamma broke' }])
  })

  test.each(['status=open', 'order_by=title', `query=${'x'.repeat(256)}`])('refuses %s', async (query) => {
    const place = await tracked(w)
    expect((await place.maintainer.get(`${place.base}/errors?${query}`)).status).toBe(400)
  })
})

describe('somebody', () => {
  const change = (place: Awaited<ReturnType<typeof tracked>>, id: number, json: object) =>
    place.developer.put(`${place.base}/errors/${id}`, json)

  test('resolves an error, and it comes back with the next event', async () => {
    const place = await tracked(w)
    const { id } = await reported(place)
    expect(await change(place, id, { status: 'resolved' })).toMatchObject({
      status: 200,
      body: { status: 'resolved', resolved_in_release: null, status_changed_at: expect.any(String) },
    })
    await place.expectErrors([])
    await place.report(failure())
    await place.expectErrors([{ id, status: 'unresolved', events_count: 2, reopened_at: expect.any(String) }])
    const facts = await w.db
      .selectFrom('facts')
      .select('name')
      .where('namespace_id', '=', place.namespaceId)
      .where('name', 'like', 'error %')
      .where('name', 'not like', 'error tracking%')
      .orderBy('id')
      .execute()
    expect(facts.map(({ name }) => name)).toEqual(['error found', 'error resolved', 'error reopened'])
  })

  test('resolves it in a release: older ones go on to fail, that one and later ones bring it back', async () => {
    const place = await tracked(w)
    const { id } = await reported(place, failure('x', { release: 'app@1.0.0' }))
    await change(place, id, { status: 'resolved', resolved_in_release: 'app@1.2.0' })
    await place.report(failure('x', { release: 'app@1.1.9' }))
    await place.report(failure('x'))
    await place.expectErrors(
      [{ status: 'resolved', resolved_in_release: 'app@1.2.0', events_count: 3 }],
      '?status=resolved',
    )
    await place.report(failure('x', { release: 'app@1.2.0' }))
    await place.expectErrors([{ status: 'unresolved', resolved_in_release: null, events_count: 4 }])
    expect(await place.errors('?status=resolved')).toEqual([])
  })

  test('resolves it in a release without numbers: those that were first heard of later bring it back', async () => {
    const place = await tracked(w)
    const { id } = await reported(place, failure('x', { release: 'aaaa' }))
    await place.report(failure('other', { release: 'bbbb', fingerprint: ['another'] }))
    await place.expectErrors([{}, {}])
    await change(place, id, { status: 'resolved', resolved_in_release: 'bbbb' })
    await place.report(failure('x', { release: 'aaaa' }))
    await place.expectErrors([{ status: 'resolved', events_count: 2 }], '?status=resolved')
    await place.report(failure('x', { release: 'cccc' }))
    await place.expectErrors([{ id, status: 'unresolved', events_count: 3 }], '?query=TypeError%3A%20x')
    expect(await place.errors('?status=resolved')).toEqual([])
  })

  test('ignores an error, and it stays so', async () => {
    const place = await tracked(w)
    const { id } = await reported(place)
    await change(place, id, { status: 'ignored' })
    await place.report(failure())
    await place.expectErrors([{ id, status: 'ignored', events_count: 2 }], '?status=ignored')
    expect((await change(place, id, { status: 'unresolved' })).body).toMatchObject({ status: 'unresolved' })
  })

  test('links an error to an issue, finds it there, and takes the link away', async () => {
    const place = await tracked(w)
    const { id } = await reported(place)
    const { body: issue } = await place.developer.post(`/projects/${place.id}/issues`, { title: 'Fix it' })
    expect((await change(place, id, { issue_iid: issue.iid })).body).toMatchObject({
      issue: { iid: issue.iid, web_url: issue.web_url },
    })
    await place.expectErrors([{ id }], `?issue_iid=${issue.iid}`)
    await change(place, id, { status: 'resolved' })
    await place.expectErrors([{ id, status: 'resolved' }], `?issue_iid=${issue.iid}`)
    expect((await change(place, id, { issue_iid: 999 })).status).toBe(404)
    expect((await change(place, id, { issue_iid: null })).body).toMatchObject({ issue: null })
    await place.expectErrors([], `?issue_iid=${issue.iid}`)
    await change(place, id, { issue_iid: issue.iid })
    expect((await place.owner.delete(`/projects/${place.id}/issues/${issue.iid}`)).status).toBe(204)
    expect(await place.get(id)).toMatchObject({ issue: null })
  })

  test('who sees no issues sees no links to them', async () => {
    const place = await tracked(w)
    const { id } = await reported(place)
    const { body: issue } = await place.developer.post(`/projects/${place.id}/issues`, { title: 'Fix it' })
    await change(place, id, { issue_iid: issue.iid })
    await place.owner.put(`/projects/${place.id}`, { issues_access_level: 'disabled' })
    expect(await place.get(id)).toMatchObject({ issue: null })
    expect(await place.errors(`?issue_iid=${issue.iid}`)).toEqual([])
    expect((await change(place, id, { issue_iid: issue.iid })).status).toBe(404)
  })

  test.each([
    [{}, 'status, issue_iid are missing, at least one parameter must be provided'],
    [{ status: 'gone' }, 'status does not have a valid value'],
    [{ status: 'ignored', resolved_in_release: '1' }, undefined],
    [{ status: 'resolved', resolved_in_release: '' }, undefined],
  ])('is refused for %j', async (json, error) => {
    const place = await tracked(w)
    const { id } = await reported(place)
    expect(await change(place, id, json)).toMatchObject({ status: 400, ...(error && { body: { error } }) })
  })
})

test('events of a project that is gone are dropped, and those of others are not', async () => {
  const [gone, there] = [await tracked(w), await tracked(w)]
  const at = new Date().toISOString()
  const event = (place: { id: number }) => ({
    project_id: place.id,
    received_at: at,
    event: JSON.stringify({ ...failure(), level: 'error', occurred_at: at, exceptions: [] }),
  })
  await w.db
    .insertInto('error_inbox')
    .values([
      { ...event(gone), project_id: 999_999_999 },
      { ...event(there), event: 'no JSON' },
      { ...event(there), event: '{"exceptions": 1}' },
      event(there),
    ])
    .execute()
  await gone.report(failure())
  await there.expectErrors([{ events_count: 1 }])
  await gone.expectErrors([{ events_count: 1 }])
  expect(await w.db.selectFrom('error_inbox').select('id').execute()).toEqual([])
})

test('while the jobs are behind, some events are let in, and the answers say so', async () => {
  const place = await tracked(w)
  onTestFinished(async () => {
    await w.root.put('/application/settings', { error_tracking_backlog_limit: 100_000 })
    await w.db.deleteFrom('error_inbox').where('project_id', '=', 0).execute()
  })
  await w.root.put('/application/settings', { error_tracking_backlog_limit: 1 })
  await w.write(async (tx) => {
    await tx.db
      .insertInto('error_inbox')
      .values(Array.from({ length: 3 }, () => ({ project_id: 0, received_at: tx.now, event: '{}' })))
      .execute()
    await sql`select pg_advisory_xact_lock(hashtextextended('grouping of errors', 0))`.execute(tx.db)
    await expect.poll(async () => (await place.send(ofEvent(failure()))).status).toBe(429)
    expect(await place.send(ofEvent(failure()))).toMatchObject({
      status: 429,
      headers: { 'x-sentry-rate-limits': '10:error:project:overload', 'retry-after': '10' },
    })
  })
  await expect.poll(async () => (await place.send(ofEvent(failure()))).status).toBe(200)
})
