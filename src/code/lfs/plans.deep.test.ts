import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { GitAccess } from '#code/git-transport/access.ts'
import { concerning, fillTables, plansOf, rowsRead, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { adoptObjects } from './adopt-objects.ts'
import { lfsSizeOf, objectsOf } from './queries.ts'
import { allObjectsOf, inheritObjects } from './share-objects.ts'

// How objects are read in an instance with many of them: some projects have many, and some objects are in all forks of a project.

const FILES = 200_000
/** Objects of a popular project that each of its forks has. */
const SHARED = 20
const FORKS = 5_000
/** Forks with a merge request, and the merge requests of their source. */
const ASKING = 300
const ASKED = 20_000

const large = ['lfs_objects', 'files', 'project_forks', 'merge_requests']
const isLarge = (table: string) => large.includes(table)
/** The number of a fork that is in no other table. */
const FORK = 100_000_000

let own: World
/** The project that has forks, one with objects that nobody shares, and one that has none. */
let popular: Awaited<ReturnType<World['project']>>
let rich: Awaited<ReturnType<World['project']>>
let empty: Awaited<ReturnType<World['project']>>
let access: Pick<GitAccess, 'by' | 'person'>

const oidOf = (n: number) => createHash('sha256').update(String(n)).digest('hex')
const oids = (first: number, number: number) => Array.from({ length: number }, (_, n) => oidOf(first + n))

beforeAll(async () => {
  own = await openWorld()
  popular = await own.project({ visibility: 'public' })
  rich = await own.project()
  empty = await own.project()
  await fillTables(own, async (db) => {
    await sql`
      insert into files (id, storage, key, sha256, size, created_at, used_at)
      select lpad(n::text, 32, '0'), 'disk', '00/' || lpad(n::text, 30, '0'), sha256(n::text::bytea), 1, now(), now()
      from generate_series(1, ${FILES}::integer) as n`.execute(db)
    const objects = sql`insert into lfs_objects (project_id, file_id, size, inherited, created_at)`
    // The shared ones are in the forks, and not in their source, as when they come from one of them.
    await sql`${objects} select ${FORK} + fork, lpad(n::text, 32, '0'), 1, true, now()
      from generate_series(1, ${FORKS}::integer) as fork, generate_series(1, ${SHARED}::integer) as n`.execute(
      db,
    )
    // The others are in one of a thousand projects, a tenth of them in the same.
    await sql`${objects} select case when n % 10 = 0 then ${rich.id}::bigint else ${2 * FORK} + n % 1000 end,
        lpad(n::text, 32, '0'), 1, false, now()
      from generate_series(${SHARED + 1}::integer, ${FILES}::integer) as n`.execute(db)
    await sql`
      insert into project_forks (project_id, source_id, state, created_at)
      select ${FORK} + n, ${popular.id}::bigint, 'finished'::fork_state, now() from generate_series(1, ${FORKS}::integer) as n
      union all select ${empty.id}::bigint, ${popular.id}::bigint, 'finished', now()
      union all select ${2 * FORK} + n, ${3 * FORK} + n % 1000, 'finished', now() from generate_series(1, 50000) as n`.execute(
      db,
    )
    await sql`
      insert into merge_requests (id, project_id, source_project_id, iid, title, author_id, source_branch, target_branch, head_sha,
          start_sha, changed_files, created_at, state)
      select n, t.id, case when n <= ${ASKING}::integer then ${FORK} + n else t.id end, n, 'x',
        ${popular.developer.id}::bigint, 'branch-' || n, 'main', repeat('0', 40), repeat('0', 40), 0, now(), 'merged'::merge_request_state
      from generate_series(1, 100000) as n,
        lateral (select case when n <= ${ASKED}::integer then ${popular.id}::bigint else ${2 * FORK} + n % 1000 end as id) as t`.execute(
      db,
    )
  })
  await vacuum(own)
  const { id, username } = popular.developer
  const viewer = { id, admin: false, external: false, today: '2026-01-01', closed: [] }
  access = {
    by: { author: null, ip: null },
    person: {
      user: { id, username, name: username, kind: 'human', state: 'active', admin: false, external: false },
      viewer,
    },
  }
}, 180_000)
afterAll(() => own.running.stop())

/** Asks for objects as somebody does who pushes. */
const adopt = (to: { readonly id: number }, wanted: readonly string[]) =>
  adoptObjects(own.running.services, { access, service: 'git-receive-pack', projectId: to.id }, wanted)

test.each([
  ['objects of a batch', () => objectsOf(own.db, rich.id, oids(1_000, 100))],
  ['objects of a batch that is as large as it may be', () => objectsOf(own.db, rich.id, oids(1_000, 1_000))],
  ['objects of an empty project', () => objectsOf(own.db, empty.id, oids(1, 100))],
  ['all objects of a fork', () => allObjectsOf(own.db, FORK + 7)],
  [
    'what a fork inherits',
    () => own.write((tx) => inheritObjects(tx, empty.id, FORK + 7)).then(() => forget(empty)),
  ],
  ['the size of all', () => lfsSizeOf(own.db, rich.id)],
])('%s are found by an index', async (_, read) => {
  await expectIndexes(read)
})

test.each([
  ['that nobody has', () => popular, () => oids(FILES + 1, 100), false],
  ['that strangers have', () => popular, () => oids(1_000, 100), false],
  ['that a project without relatives asks for', () => rich, () => oids(1, SHARED), false],
  ['that a fork asks for', () => empty, () => oids(1_001, 8), false],
  ['of forks with merge requests', () => popular, () => oids(1, SHARED), true],
])('objects %s are looked for by indexes', async (_, to, wanted, expected) => {
  const place = to()
  let found: boolean | undefined
  await expectIndexes(async () => {
    found = await adopt(place, wanted())
  })
  expect(found).toBe(expected)
  if (expected) await forget(place)
})

test('whoever asks for what all forks of others have reads few rows', async () => {
  for (const planning of ['for the values', 'for any values'] as const) {
    const read = (to: { readonly id: number }) =>
      rowsRead(own, large, planning, () => adopt(to, oids(1, SHARED)))
    expect(await read(rich)).toBeLessThan(20 * SHARED)
    expect(await read(empty)).toBeLessThan(20 * SHARED)
    // Here its forks or merge requests are looked at, once for all objects.
    expect(await read(popular)).toBeLessThan(2 * ASKED)
    await forget(popular)
  }
})

/** Takes all objects from a project. */
const forget = ({ id }: { readonly id: number }) =>
  own.db.deleteFrom('lfs_objects').where('project_id', '=', id).execute()

async function expectIndexes(work: () => Promise<unknown>): Promise<void> {
  const plans = await plansOf(own, work)
  const concerned = ['lfs_objects', 'lfs_sizes'].flatMap((table) => concerning(plans, table))
  expect(concerned.length).toBeGreaterThan(0)
  for (const { sql: text, scanned } of concerned) expect([text, scanned.filter(isLarge)]).toEqual([text, []])
}
