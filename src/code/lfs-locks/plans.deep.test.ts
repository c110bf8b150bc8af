import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { findCurrentRow } from '#code/repositories/rows.ts'
import { listLocks, locksOfOthers } from './queries.ts'

// How locks are read in an instance with many of them, half of which are in one project.

const LOCKS = 100_000

const isLarge = (table: string) => table === 'lfs_locks'

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const others = await Promise.all(Array.from({ length: 10 }, () => own.project()))
  const ids = others.map(({ id }) => id)
  await fillTables(own, async (db) => {
    await sql`
      insert into lfs_locks (project_id, path, user_id, created_at)
      select ${p.id}::bigint, 'art/' || n || '.psd', case when n % 2 = 0 then ${p.developer.id}::bigint else ${p.owner.id}::bigint end, now()
      from generate_series(1, ${LOCKS}::integer) as n`.execute(db)
    await sql`
      insert into lfs_locks (project_id, path, user_id, created_at)
      select (${ids}::bigint[])[n % 10 + 1], 'art/' || n || '.psd', ${p.developer.id}::bigint, now()
      from generate_series(1, ${LOCKS}::integer) as n`.execute(db)
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

test.each([
  ['a page of locks', () => listLocks(own.db, p.id, { limit: 100 }), ['lfs_locks_pkey']],
  ['a later page', () => listLocks(own.db, p.id, { after: 50_000, limit: 100 }), ['lfs_locks_pkey']],
  [
    'the lock of a file',
    () => listLocks(own.db, p.id, { path: 'art/7.psd', limit: 100 }),
    ['lfs_locks_path_key'],
  ],
  [
    'locks of others before a push',
    () => locksOfOthers(own.db, p.id, p.developer.id, { limit: 101 }),
    ['lfs_locks_path_key'],
  ],
  [
    'locks of others among changed files',
    () => locksOfOthers(own.db, p.id, p.developer.id, { limit: 1, paths: ['art/7.psd', 'b'] }),
    ['lfs_locks_path_key'],
  ],
  ['whether a project has locks', () => findCurrentRow(own.db, 1), ['lfs_locks_pkey']],
])('%s is found by an index', async (_, read, expected) => {
  const plans = concerning(await plansOf(own, read), 'lfs_locks')
  expect(plans.length).toBeGreaterThan(0)
  for (const { indexes, scanned } of plans) {
    expect(scanned.filter(isLarge)).toEqual([])
    const found = indexes.filter((name) => name.startsWith('lfs_locks'))
    expect(found).toEqual(expected)
  }
})
