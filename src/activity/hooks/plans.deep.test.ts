import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// How hooks and what they have sent are found where there are many others.

const OTHERS = 5_000
const ATTEMPTS = 20_000

let own: World
let p: Awaited<ReturnType<World['project']>>
let hook: number

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  await fillTables(own, async (db) => {
    await sql`
    insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'project', ${p.groupId}::bigint, array[0], 'h' || n, ${p.fullPath} || n, 'h' || n, 'h' || n, 'private', now(), now()
    from generate_series(1, ${OTHERS}::integer) as n`.execute(db)
    await sql`
    insert into hooks (namespace_id, url, triggers, site, created_at, updated_at)
    select id, 'http://127.0.0.1:9/', '{issues_events}', 'http://x', now(), now() from namespaces where path ~ '^h[0-9]+$'`.execute(
      db,
    )
    const { rows } = await sql<{ id: number }>`
    insert into hooks (namespace_id, url, triggers, site, created_at, updated_at)
    values (${p.namespaceId}, 'http://127.0.0.1:9/', '{}', 'http://x', now(), now()) returning id`.execute(db)
    hook = rows[0]?.id ?? 0
    await sql`
    with payload as (
      insert into hook_payloads (trigger, event, data, created_at)
      select 'push_hooks', 'Push Hook', '{}', now() from generate_series(1, ${ATTEMPTS}::integer) returning id)
    insert into hook_attempts (hook_id, payload_id, idempotency_key, url, request_headers, response_headers, response_body,
      response_status, seconds, created_at)
    select case when id % 50 = 0 then ${hook}::bigint else ${hook - 1}::bigint end, id, gen_random_uuid(), '', '{}', '{}', '',
      case when id % 500 = 0 then 500 else 200 end, 0, now() from payload`.execute(db)
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

const large = ['hooks', 'hook_attempts', 'hook_payloads']

test('a fact finds out by an index that no hook wants it', async () => {
  const plans = await plansOf(own, async () => {
    expect((await p.developer.post(`/projects/${p.id}/issues`, { title: 'Quiet' })).status).toBe(201)
  })
  const telling = concerning(plans, 'hook_facts')
  expect(telling.length).toBeGreaterThan(0)
  for (const { scanned, indexes } of telling) {
    expect(scanned.filter((table) => large.includes(table))).toEqual([])
    expect(indexes).toContain('hooks_namespace')
  }
})

test.each([
  ['', 'hook_attempts_hook'],
  ['?status=500', 'hook_attempts_status'],
  ['?status=server_failure', 'hook_attempts_status'],
])('what a hook has sent is found by an index: %s', async (query, index) => {
  const plans = await plansOf(own, async () => {
    const { status, body } = await p.maintainer.get(`/projects/${p.id}/hooks/${hook}/events${query}`)
    expect([status, body.length > 0]).toEqual([200, true])
  })
  const reading = concerning(plans, 'hook_attempts')
  expect(reading.length).toBeGreaterThan(0)
  expect(reading.flatMap(({ indexes }) => indexes)).toContain(index)
  // A page looks its payloads up one by one.
  expect(reading[0]?.scanned).toEqual([])
})
