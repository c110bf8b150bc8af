import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Fact, record } from '#platform/facts/record.ts'
import { type Answer, type Client, linkTo } from '#test/client.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

/** Over four partitions: the past, this month and the two that follow. */
const EVENTS = 40_000

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld(undefined, 'premium')
  p = await own.project()
  await fillTables(own, async (db) => {
    await sql`
    insert into audit_events (event_name, author_id, author_name, entity_type, entity_id, entity_path, target_type, details,
      created_at, recorded_at)
    select 'member_created', 1, 'Root', (array['User', 'User', 'Project', 'Group'])[1 + n % 4],
      case n % 20 when 2 then ${p.id}::bigint when 3 then ${p.groupId}::bigint when 5 then 401 else n % 1000 end, 'path', 'User', '{}',
      timestamptz '2026-01-01' + n * interval '1 minute',
      date_trunc('month', now()) + (4 * (n - 1) / ${EVENTS}::integer - 1) * interval '1 month'
    from generate_series(1, ${EVENTS}::integer) as n`.execute(db)
    await sql`
    insert into users (username, name, email, created_at, updated_at)
    select 'many-' || n, 'Many', n || '@many.example', now(), now() from generate_series(1, 20000) as n`.execute(
      db,
    )
    await sql`
    with made as (
      insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
      select 'project', ${p.groupId}::bigint, '{}', 'many-' || n, 'group/many-' || n, 'Many ' || n, 'Many', 'private', now(), now()
      from generate_series(1, 20000) as n returning id)
    insert into projects (project_namespace_id, last_activity_at) select id, now() from made`.execute(db)
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

async function plansOfEvents(path: string, by: Client = own.root) {
  const plans = concerning(await plansOf(own, () => by.get(path)), 'audit_events')
  expect(plans).not.toEqual([])
  // Which list is long decides whether sorting is cheap: these statements are planned for their values.
  return plans.filter(({ generic }) => !generic)
}

test.each([
  ['the instance', () => '/audit_events', 'audit_events_pkey'],
  ['a project', () => `/projects/${p.id}/audit_events`, 'audit_events_entity'],
  ['a group', () => `/groups/${p.groupId}/audit_events`, 'audit_events_entity'],
  ['one user', () => '/audit_events?entity_type=User&entity_id=401', 'audit_events_entity'],
])('the events of %s are read in the order of an index, page after page', async (_, list, index) => {
  const path = `${list()}${list().includes('?') ? '&' : '?'}pagination=keyset&order_by=id&sort=desc`
  const first: Answer = await own.root.get(path)
  expect(first.body).toHaveLength(20)
  for (const page of [path, linkTo('next', first) ?? '']) {
    for (const plan of await plansOfEvents(page)) {
      expect({ page, ...plan }).toMatchObject({ indexes: [index], scanned: [], sorts: [] })
    }
  }
})

test('the same in pages by number, and by what kind of thing they are about', async () => {
  for (const [list, index] of [
    // Its bounded total may come from the table: of all events, any will do.
    ['/audit_events', 'audit_events_pkey'],
    ['/audit_events?entity_type=Group', 'audit_events_entity_type'],
    [`/projects/${p.id}/audit_events`, 'audit_events_entity'],
  ]) {
    for (const plan of await plansOfEvents(list ?? '')) {
      expect({ list, ...plan }).toMatchObject({ indexes: expect.arrayContaining([index]), sorts: [] })
    }
  }
})

test('what developers did themselves is found by its index', async () => {
  await sql`update audit_events set author_id = ${p.developer.id} where id in (
    select id from audit_events where entity_type = 'Project' and entity_id = ${p.id} order by md5(id::text) limit 2000)`.execute(
    own.db,
  )
  await own.running.services.pool.query('analyze audit_events')
  const path = `/projects/${p.id}/audit_events`
  expect((await p.developer.get(path)).body).toHaveLength(20)
  for (const plan of await plansOfEvents(path, p.developer))
    expect(plan).toMatchObject({ indexes: ['audit_events_own'], scanned: [], sorts: [] })
})

test('those of a short time are found by their index', async () => {
  const [plan] = await plansOfEvents(
    '/audit_events?pagination=keyset&created_after=2026-01-05T00:00:00Z&created_before=2026-01-05T00:10:00Z',
  )
  expect(plan).toMatchObject({ indexes: ['audit_events_created_at'], scanned: [] })
})

test('those of all projects are read by following links, from one partition into the next', async () => {
  // The second partition begins behind the first quarter.
  const [from, to] = [EVENTS / 4 - 1_000, EVENTS / 4 + 1_000]
  const time = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString()
  const within = `created_after=${time(from)}&created_before=${time(to)}`
  let seen = 0
  let next: string | undefined = `/audit_events?pagination=keyset&per_page=100&entity_type=Project&${within}`
  let before = Number.MAX_SAFE_INTEGER
  while (next !== undefined) {
    const page: Answer = await own.root.get(next)
    for (const { id } of page.body) {
      expect(id).toBeLessThan(before)
      before = id
      seen += 1
    }
    next = linkTo('next', page)
  }
  expect(seen).toBeGreaterThanOrEqual((to - from) / 4)
})

test('pages by number end at the limit, where those by keys go on', async () => {
  expect((await own.root.get('/audit_events?page=501&per_page=100')).status).toBe(405)
  const { status, headers } = await own.root.get('/audit_events?page=500&per_page=100')
  expect([status, headers.get('x-total')]).toEqual([200, null])
})

test('to keep one looks every name up by its key', async () => {
  const fact: Fact = {
    name: 'member added',
    namespace: p.namespaceId,
    target: { type: 'User', id: p.guest.id },
    details: { user_id: p.guest.id, access_level: 10, expires_at: null },
  }
  const plans = await plansOf(own, () => own.write(async (tx) => record(tx, fact)))
  // The statement is shared with consumers that read other tables, which are empty here.
  const named = ['namespaces', 'users', 'projects']
  for (const plan of concerning(plans, 'audit_events'))
    expect(named.filter((table) => plan.scanned.includes(table))).toEqual([])
})
