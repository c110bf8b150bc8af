import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, plansOf } from '../plans.ts'
import { openWorld, type World } from '../world.ts'

// How protected branches and forks are found in tables that are large because of other projects.

const PROJECTS = 5_000

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const { db } = own
  await sql`
    insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'project', ${p.groupId}::bigint, array[0], 'p' || n, ${p.fullPath} || n, 'p' || n, 'p' || n, 'private', now(), now()
    from generate_series(1, ${PROJECTS}::integer) as n`.execute(db)
  await sql`update namespaces set traversal_ids = array[id] where path ~ '^p[0-9]+$'`.execute(db)
  await sql`
    insert into projects (project_namespace_id, last_activity_at)
    select id, now() from namespaces where path ~ '^p[0-9]+$'`.execute(db)
  await sql`
    insert into protected_references (project_id, kind, name, created_at, updated_at)
    select p.id, kind, 'name' || n, now(), now()
    from projects p, generate_series(1, 3) as n, unnest(enum_range(null::protected_reference_kind)) as kind`.execute(
    db,
  )
  await sql`
    insert into protected_reference_grants (protected_reference_id, action, access_level)
    select id, 'push', 40 from protected_references`.execute(db)
  await sql`
    insert into project_forks (project_id, source_id, state, created_at)
    select id, case when id % 100 = 0 then ${p.id}::bigint else id - 1 end, 'finished', now()
    from projects where id > ${p.id} + 1`.execute(db)
  await sql`vacuum analyze`.execute(db)
}, 60_000)
afterAll(() => own.running.stop())

const large = ['protected_references', 'protected_reference_grants', 'project_forks', 'projects']

test.each([
  ['protected branches', 'protected_references', 'protected_branches', 'protected_references_name_key'],
  ['one of them', 'protected_references', 'protected_branches/name1', 'protected_references_name_key'],
  ['forks', 'project_forks', 'forks', 'project_forks_source'],
])('%s are found by an index', async (_, table, path, index) => {
  const url = `/projects/${p.id}/${path}`
  await p.maintainer.get(url)
  const plans = await plansOf(own, async () => expect((await p.maintainer.get(url)).status).toBe(200))
  const found = concerning(plans, table)
  expect(found.length).toBeGreaterThan(0)
  for (const { indexes, scanned } of found) {
    expect(indexes).toContain(index)
    expect(scanned.filter((name) => large.includes(name))).toEqual([])
  }
})
