import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// How releases are read where there are many, most of them of other projects.

const OWN = 5_000
const OTHERS = 195_000
const large = ['releases', 'release_links', 'release_evidences', 'release_milestones']

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const other = await own.project()
  await fillTables(own, async (db) => {
    await sql`
    insert into releases (project_id, tag, name, sha, author_id, released_at, created_at, updated_at)
    select p.id, 'v' || n, 'Release ' || n, ${'a'.repeat(40)}, ${p.developer.id}, at, at, at
    from projects p, generate_series(1, case p.id when ${p.id} then ${OWN}::integer else ${OTHERS}::integer end) as n,
      lateral (select timestamptz '2020-01-01' + n * interval '1 min' as at) as moment
    where p.id in (${p.id}, ${other.id})`.execute(db)
    await sql`
    insert into release_links (release_id, name, url, link_type, created_at, updated_at)
    select id, 'tool', 'https://example.org/' || id, 'other', created_at, created_at from releases`.execute(
      db,
    )
    await sql`
    insert into release_evidences (release_id, summary, sha, collected_at)
    select id, '{}', ${'b'.repeat(64)}, created_at from releases`.execute(db)
    await sql`
    with one as (
      insert into milestones (namespace_id, iid, title, created_at, updated_at)
      select project_namespace_id, 1, '1.0', now(), now() from projects where id = ${p.id} returning id
    )
    insert into release_milestones (release_id, milestone_id) select r.id, one.id from releases r, one`.execute(
      db,
    )
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

test.each([
  '/projects/:id/releases',
  '/projects/:id/releases?order_by=created_at&sort=asc',
  '/projects/:id/releases?page=30',
  '/projects/:id/releases?updated_after=2090-01-01',
  '/projects/:id/releases/v77/assets/links',
  '/projects/:id/releases/v77',
])('GET %s reads no table from start to end', async (address) => {
  const path = address.replace(':id', String(p.id))
  await p.reporter.get(path)
  const plans = concerning(
    await plansOf(own, async () => expect((await p.reporter.get(path)).status).toBe(200)),
    'releases',
  )
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned, sql: text } of plans)
    expect([text, scanned.filter((table) => large.includes(table))]).toEqual([text, []])
})

test('a group reads what belongs to the releases of one page alone', async () => {
  const path = `/groups/${p.groupId}/releases`
  await p.reporter.get(path)
  const plans = concerning(await plansOf(own, () => p.reporter.get(path)), 'releases')
  expect(plans.length).toBeGreaterThan(0)
  // With so few projects, an index of their releases would save the database nothing.
  for (const { scanned } of plans)
    expect(scanned.filter((table) => large.includes(table) && table !== 'releases')).toEqual([])
})

test('the latest release is found by its index', async () => {
  const path = `/projects/${p.id}/releases/permalink/latest`
  await p.reporter.get(path)
  const plans = concerning(await plansOf(own, () => p.reporter.get(path)), 'releases')
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned } of plans) expect(scanned).toEqual([])
})
