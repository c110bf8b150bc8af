import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// How alerts are found where there are many others.

const OTHERS = 20_000

let own: World
let p: Awaited<ReturnType<World['project']>>
let url: string
let key: string

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const { body } = await p.maintainer.post(`/projects/${p.id}/alert_management/integrations`, {
    name: 'Tool',
  })
  url = body.url
  key = body.authorization_key
  const q = await own.project()
  await sql`
    with made as (
      insert into noteables (kind, namespace_id, updated_at)
      select 'alert', ${p.namespaceId}::bigint, now() from generate_series(1, ${OTHERS}::integer) returning id)
    insert into alerts (id, project_id, iid, title, severity, status, events, fingerprint, fingerprinted, payload_kind, hosts,
      payload, started_at, created_at, last_event_at)
    select id, case when id % 10 = 0 then ${p.id}::bigint else ${q.id}::bigint end, 1000000 + row_number() over (), 'Alert ' || id, 'high',
      case when id % 1000 = 0 then 'acknowledged' else 'resolved' end, 1, lpad(id::text, 40, '0'), true, 'generic', '{}', '{}',
      now() - id * interval '1 second', now(), now() from made`.execute(own.db)
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

test.each([
  ['', 'alerts_project'],
  ['?order_by=started_at', 'alerts_started_at'],
  // Those that are open have a small index of their own.
  ['?status=acknowledged', 'alerts_open_key'],
  ['/1000010', 'alerts_project_iid'],
])('what people ask for is found by an index: %s', async (asked, index) => {
  const plans = await plansOf(own, async () => {
    expect((await p.developer.get(`/projects/${p.id}/alert_management_alerts${asked}`)).status).toBe(200)
  })
  const reading = concerning(plans, 'alerts')
  expect(reading.length).toBeGreaterThan(0)
  expect(reading.flatMap(({ indexes }) => indexes)).toContain(index)
  for (const { scanned } of reading) expect(scanned).not.toContain('alerts')
})

test('what a report is about is found by an index, and it scans nothing', async () => {
  const plans = await plansOf(own, async () => {
    const headers = { authorization: `Bearer ${key}` }
    const sent = { fingerprint: 'x' }
    for (const payload of [sent, sent, { ...sent, end_time: '2026-01-31T10:00:00Z' }])
      expect((await p.anonymous.post(url, payload, { headers })).status).toBe(200)
  })
  const reading = concerning(plans, 'alerts')
  expect(reading.length).toBeGreaterThan(0)
  for (const { scanned } of reading) expect(scanned).not.toContain('alerts')
})
