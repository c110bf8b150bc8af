import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// How protected branches, protected environments, approvals and forks are found in tables that are large because of other projects.

const PROJECTS = 5_000

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld(undefined, 'premium')
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
  await sql`
    insert into protected_environments (project_id, name, created_at, updated_at)
    select id, 'name' || n, now(), now() from projects, generate_series(1, 3) as n`.execute(db)
  await sql`
    insert into protected_environment_grants (protected_environment_id, purpose, position, access_level, required_approvals)
    select id, purpose, 0, 30, case purpose when 'approve' then 1 end
    from protected_environments, unnest(enum_range(null::environment_grant_purpose)) as purpose`.execute(db)
  await sql`
    insert into environments (project_id, name, slug, tier, created_at, updated_at)
    select id, 'name1', 'name1', 'other', now(), now() from projects`.execute(db)
  await sql`
    insert into deployments (project_id, environment_id, iid, sha, ref, tag, status, created_at, updated_at)
    select project_id, id, n, repeat('1', 40), 'main', false, 'blocked', now(), now()
    from environments, generate_series(1, 2) as n`.execute(db)
  await sql`
    insert into deployment_approvals (deployment_id, user_id, approval_rule_id, status, created_at, updated_at)
    select d.id, ${p.maintainer.id}, g.id, 'approved', now(), now() from deployments d
      join protected_environments pe on pe.project_id = d.project_id and pe.name = 'name1'
      join protected_environment_grants g on g.protected_environment_id = pe.id and g.purpose = 'approve'`.execute(
    db,
  )
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

const large = [
  'protected_references',
  'protected_reference_grants',
  'project_forks',
  'projects',
  'protected_environments',
  'protected_environment_grants',
  'environments',
  'deployments',
  'deployment_approvals',
]

test.each([
  ['protected branches', 'protected_references', 'protected_branches', 'protected_references_name_key'],
  ['one of them', 'protected_references', 'protected_branches/name1', 'protected_references_name_key'],
  ['forks', 'project_forks', 'forks', 'project_forks_source'],
  [
    'protected environments',
    'protected_environments',
    'protected_environments',
    'protected_environments_of_project',
  ],
  [
    'one of these',
    'protected_environments',
    'protected_environments/name1',
    'protected_environments_of_project',
  ],
  ['the rules of deployments', 'protected_environments', 'deployments', 'protected_environments_of_project'],
  ['their approvals', 'deployment_approvals', 'deployments', 'deployment_approvals_key'],
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
