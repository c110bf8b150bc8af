import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// How errors are read where there are many, in this project and in others.

const ERRORS = 20_000

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const other = await own.project()
  const { db } = own
  await sql`
    insert into errors (project_id, fingerprint, title, culprit, level, status, events_count, first_seen_at, last_seen_at)
    select case when n % 10 = 0 then ${p.id}::bigint else ${other.id}::bigint end, decode(md5(n::text), 'hex'), 'Error ' || n, 'a.js in f',
      'error', case when n % 100 < 80 then 'unresolved' else 'resolved' end, n % 1000,
      now() - make_interval(secs => n), now() - make_interval(secs => n / 2)
    from generate_series(1, ${ERRORS}::integer) as n`.execute(db)
  await sql`
    insert into error_events (error_id, event_id, event, occurred_at)
    select id, md5(id::text), '{"event_id":"x","occurred_at":"2026-01-01T00:00:00.000Z","level":"error","exceptions":[]}', now()
    from errors`.execute(db)
  await sql`
    insert into error_places (error_id, kind, name, first_seen_at, last_seen_at)
    select id, 'release', '1.0', now(), now() from errors`.execute(db)
  await sql`
    insert into error_hours (error_id, recorded_at, events_count)
    select id, date_trunc('hour', now()) - make_interval(hours => h), 1 from errors, generate_series(0, 2) as h`.execute(
    db,
  )
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

test.each([
  ['', 'errors_last_seen'],
  ['?status=resolved', 'errors_last_seen'],
  ['?query=Error%201', 'errors_last_seen'],
  ['?order_by=first_seen&sort=asc', 'errors_first_seen'],
  ['?order_by=frequency', 'errors_frequency'],
  ['?pagination=keyset', 'errors_last_seen'],
])('a page of errors%s is read in the order of its index', async (query, index) => {
  const path = `/projects/${p.id}/error_tracking/errors${query}`
  const plans = concerning(
    await plansOf(own, async () => expect((await p.reporter.get(path)).status).toBe(200)),
    'errors',
  )
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned, indexes, sorts } of plans) {
    expect(scanned).not.toContain('errors')
    expect(indexes).toContain(index)
    expect(sorts).toEqual([])
  }
})

test('the events of an error are read in the order of their index', async () => {
  const [{ id }] = (await p.reporter.get(`/projects/${p.id}/error_tracking/errors`)).body
  const path = `/projects/${p.id}/error_tracking/errors/${id}/events?pagination=keyset`
  const plans = concerning(
    await plansOf(own, async () => expect((await p.reporter.get(path)).status).toBe(200)),
    'error_events',
  )
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned } of plans) expect(scanned).not.toContain('error_events')
})

test('an error is found with its events and hours by indexes', async () => {
  const [{ id }] = (await p.reporter.get(`/projects/${p.id}/error_tracking/errors`)).body
  const path = `/projects/${p.id}/error_tracking/errors/${id}`
  const plans = await plansOf(own, async () => expect((await p.reporter.get(path)).status).toBe(200))
  const scanned = plans.flatMap((plan) => plan.scanned)
  for (const table of ['errors', 'error_events', 'error_hours', 'error_places'])
    expect(scanned).not.toContain(table)
})
