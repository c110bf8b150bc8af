import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Db } from '#platform/db/pool.ts'
import { linkTo } from '#test/client.ts'
import { concerning, fillTables, plansOf, rowsRead, vacuum } from '#test/plans.ts'
import { insertIssues } from '#test/issues.ts'
import { openWorld, type Place, type World } from '#test/world.ts'

// Feeds of a project with very many events, over four partitions. Most are pushes, which guests of a private project may not see.

const EVENTS = 60_000
const NOTES = 50_000
const NOTHING = 'nothing'

let own: World
let p: Place

async function fill(db: Db, project: Place, events: number): Promise<void> {
  const authors = [project.developer.id, project.maintainer.id]
  await insertIssues(
    db,
    sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
      select ${project.id}::bigint, 100 + n, 'Issue', 1, now(), now() from generate_series(1, 100) as n`,
  )
  await sql`
    insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, system, created_at, updated_at)
    select (select min(id) from issues where project_id = ${project.id}), 1, 'Comment', sha224(n::text::bytea), true, false, now(), now()
    from generate_series(1, ${NOTES}::integer) as n`.execute(db)
  await sql`
    insert into events (project_id, author_id, kind, target_id, details, created_at, recorded_at)
    select ${project.id}::bigint, (${authors}::bigint[])[1 + n % 2], case when n % 100 < 3 then 10 else 5 end,
      case when n % 100 < 3 then (select min(id) from issues where project_id = ${project.id}) + n % 100 end,
      '{"action": "pushed", "ref": "main"}', timestamptz '2026-01-01' + n * interval '1 minute',
      date_trunc('month', now()) + (4 * (n - 1) / ${events}::integer - 1) * interval '1 month'
    from generate_series(1, ${events}::integer) as n`.execute(db)
  await sql`
    insert into event_streams (author_id, project_id, kind)
    select distinct author_id, project_id, kind from events on conflict do nothing`.execute(db)
}

/** Statistics do not know these yet: new comments are always about notes that were written after them. */
async function comment(db: Db, { id, developer }: Place): Promise<void> {
  await sql`
    insert into events (project_id, author_id, kind, target_id, created_at, recorded_at)
    select ${id}::bigint, ${developer.id}::bigint, 13, (select max(id) from notes) - n, timestamptz '2026-09-01', now()
    from generate_series(1, 3) as n`.execute(db)
  await sql`insert into event_streams (author_id, project_id, kind) values (${developer.id}::bigint, ${id}::bigint, 13)
    on conflict do nothing`.execute(db)
}

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  await fillTables(own, (db) => fill(db, p, EVENTS))
}, 180_000)
afterAll(() => own.running.stop())

const feeds = (): readonly (readonly [string, string])[] => [
  [`/projects/${p.id}/events`, 'events_project'],
  [`/users/${p.developer.id}/events`, 'events_author'],
  ['/events', 'events_author'],
  ['/events?scope=all', 'events_project'],
]
const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

describe.each(['before statistics', 'with statistics'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'with statistics') await vacuum(own)
    await comment(own.db, p)
  }, 180_000)

  test.each([
    ['', 32_000],
    ['sort=asc&after=2026-01-20', 22_000],
    ['target_type=issue&action=created', 6_000],
    ['pagination=keyset&sort=asc', 400],
  ])('a page of %s reads what it shows and what totals count, and no more', async (query, most) => {
    for (const [feed] of feeds()) {
      const path = withQuery(feed, query)
      for (const planning of ['for the values', 'for any values'] as const) {
        const rows = await rowsRead(own, tables(), planning, () => p.developer.get(path))
        expect([path, planning, rows <= most ? NOTHING : rows]).toEqual([path, planning, NOTHING])
      }
    }
  })

  test('comments on a page are looked up, whatever else there is', async () => {
    for (const [feed] of feeds()) {
      const { body } = await p.developer.get(feed)
      expect(body).toEqual(expect.arrayContaining([expect.objectContaining({ action_name: 'commented on' })]))
      for (const planning of ['for the values', 'for any values'] as const) {
        const rows = await rowsRead(own, ['notes'], planning, () => p.developer.get(feed))
        expect([feed, planning, rows <= 100 ? NOTHING : rows]).toEqual([feed, planning, NOTHING])
      }
    }
  })

  test('a guest, who sees few of them, passes none of the others', async () => {
    for (const query of ['', 'pagination=keyset']) {
      const path = withQuery(`/projects/${p.id}/events`, query)
      for (const planning of ['for the values', 'for any values'] as const) {
        const rows = await rowsRead(own, tables(), planning, () => p.guest.get(path))
        expect([path, planning, rows <= 6_000 ? NOTHING : rows]).toEqual([path, planning, NOTHING])
      }
    }
  })

  test('the second keyset page continues in the index', async () => {
    for (const [feed, index] of feeds()) {
      const first = await p.developer.get(withQuery(feed, 'pagination=keyset'))
      expect(first.body).toHaveLength(20)
      const next = linkTo('next', first) ?? ''
      const plans = concerning(await plansOf(own, () => p.developer.get(next)), 'events')
      expect(plans.length).toBeGreaterThan(0)
      for (const plan of plans) expect(plan.scanned).not.toContain('events')
      expect([feed, plans.flatMap(({ indexes }) => indexes)]).toEqual([
        feed,
        expect.arrayContaining([`${index}_cursor`]),
      ])
    }
  })
})

/** The table and its partitions. */
function tables(): string[] {
  const now = new Date()
  const months = [0, 1, 2].map((ahead) => {
    const month = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + ahead, 1))
    return `events_${month.toISOString().slice(0, 7).replace('-', '_')}`
  })
  return ['events', 'events_past', 'events_default', ...months]
}
