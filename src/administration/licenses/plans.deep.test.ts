import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { countBillableUsers } from '#identity/users/billable-users.ts'

/** People, half of whom are members of a group. */
const USERS = 40_000

let w: World
beforeAll(async () => {
  w = await openWorld()
  const groups = await Promise.all(Array.from({ length: 20 }, () => w.group()))
  await fillTables(w, async (db) => {
    await sql`
    insert into users (username, name, email, created_at, updated_at)
    select 'many' || n, 'Many ' || n, 'many' || n || '@example.com', now(), now()
    from generate_series(1, ${USERS}::integer) as n`.execute(db)
    await sql`
    insert into members (namespace_id, user_id, access_level, created_at, updated_at)
    select g.id, u.id, (array[10, 15, 20, 30])[1 + u.id % 4], now(), now()
    from users u join unnest(${groups.map(({ id }) => id)}::bigint[]) as g (id) on (u.id + g.id) % 20 = 0
    where u.username like 'many%' and u.id % 2 = 0`.execute(db)
    await sql`
    insert into billable_user_counts (day, everybody, above_guest)
    select date '2016-01-01' + n, n, n from generate_series(1, 4000) as n`.execute(db)
    await sql`
    insert into licenses (data, digest, plan, starts_at, expires_at, user_limit, name, email, company, created_at)
    select 'x' || n, sha256(n::text::bytea), 'premium', date '2016-01-01' + n, date '2016-02-01' + n, 5, '', '', '', now()
    from generate_series(1, 3000) as n`.execute(db)
  })
  await vacuum(w)
}, 180_000)
afterAll(() => w.running.stop())

describe(`with ${USERS.toLocaleString('en')} users`, () => {
  test('they are counted by joins that read each table once, not by a look for each of them', async () => {
    const plans = concerning(await plansOf(w, () => w.root.get('/licenses')), 'members')
    expect(plans.length).toBeGreaterThan(0)
    for (const { scanned, indexes } of plans) {
      expect(scanned).toContain('members')
      expect(indexes).not.toContain('members_user')
    }
    const today = new Date().toISOString().slice(0, 10)
    const started = performance.now()
    const { everybody, aboveGuest } = await countBillableUsers(w.db, today)
    const took = (performance.now() - started).toFixed(0)
    console.log(`${everybody} users, ${aboveGuest} above Guest: counted in ${took} ms`)
  })

  test('the list reads the page it needs, and of the counts the days of each license', async () => {
    const plans = concerning(await plansOf(w, () => w.root.get('/licenses')), 'licenses')
    for (const { indexes, sorts, scanned } of plans) {
      expect(indexes).toContain('billable_user_counts_pkey')
      expect(indexes).toContain('licenses_pkey')
      expect(scanned).not.toContain('billable_user_counts')
      expect(sorts).toEqual([])
    }
  })

  test('an account says whether it takes a seat by an index', async () => {
    const plans = concerning(await plansOf(w, () => w.root.get('/users?per_page=100')), 'members')
    for (const { indexes, scanned } of plans) {
      expect(indexes).toContain('members_user')
      expect(scanned).not.toContain('members')
    }
  })
})
