import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { type Actor, openWorld, type World } from '#test/world.ts'
import { noteContact } from './note-contact.ts'
import { forGroup, forProject, madeRunner, type MadeRunner } from './test-support.ts'

// How runners and their jobs are read on an instance with many of both. One runner ran half of the jobs, a hundredth of them in the
// project of somebody who asks.

const JOBS = 400_000
const RUNNERS = 20_000

let own: World
let p: Awaited<ReturnType<World['project']>>
let group: Awaited<ReturnType<World['group']>>
let runner: MadeRunner

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  group = await own.group()
  const other = await own.project()
  runner = await madeRunner(p.maintainer, forProject(p.id))
  await own.root.post(`/projects/${other.id}/runners`, { runner_id: runner.id })
  await madeRunner(group.owner, forGroup(group.id))
  const manager = await noteContact(own.running.services, runner.id, { systemId: 's_one' })
  await fillTables(own, async (db) => {
    await sql`
      insert into pipelines (id, project_id, iid, source, status, ref, tag, protected, sha, before_sha, user_id, created_at, updated_at)
      select n, case when n = 1 then ${p.id}::bigint else ${other.id}::bigint end, n, 'push', 'success', 'main', false, false,
        repeat('a', 40), repeat('0', 40), ${p.developer.id}::bigint, now(), now()
      from generate_series(1, 100) as n`.execute(db)
    await sql`insert into ci_job_definitions (id, pipeline_id, definition) select n, n, '{}' from generate_series(1, 100) as n`.execute(
      db,
    )
    await sql`
      insert into ci_jobs (project_id, pipeline_id, definition_id, bridge, name, stage, stage_index, status, run_when, allow_failure,
          interruptible, timeout, runner_id, runner_manager_id, created_at, updated_at)
      select p.project_id, p.id, p.id, false, 'job-' || n, 'test', 1,
        case when n % 40000 = 1 then 'running' when n % 1000 = 2 then 'canceled' when n % 10 = 3 then 'failed' else 'success' end::ci_status,
        'on_success', false, false, 3600, case when n % 200 < 100 then ${runner.id}::bigint end, case when n % 1000 = 0 then ${manager}::bigint end, now(), now()
      from generate_series(1, ${JOBS}::integer) as n join pipelines p on p.id = n % 100 + 1`.execute(db)
    await sql`
      insert into ci_running_jobs (job_id, runner_id, token_digest, contacted_at)
      select id, runner_id, sha256(id::text::bytea), now() from ci_jobs where status = 'running' and runner_id is not null`.execute(
      db,
    )
    await sql`
      insert into ci_runners (id, runner_type, token_digest, by_registration, tags, created_at, updated_at)
      select 1000 + n, 'project_type', sha256(n::text::bytea), false, array['tag-' || n % 50], now(), now()
      from generate_series(1, ${RUNNERS}::integer) as n`.execute(db)
    await sql`
      insert into ci_runner_projects (runner_id, project_id, is_owner, created_at)
      select 1000 + n, 100000 + n, true, now() from generate_series(1, ${RUNNERS}::integer) as n`.execute(db)
    await sql`
      insert into ci_runner_managers (runner_id, system_id, version, contacted_at, created_at)
      select 1000 + n, 's_' || n, '17.' || n % 10, now(), now() from generate_series(1, ${RUNNERS}::integer) as n`.execute(
      db,
    )
  })
  await vacuum(own)
}, 240_000)
afterAll(() => own.running.stop())

const large = ['ci_jobs', 'ci_runners', 'ci_runner_projects', 'ci_runner_managers']

const requests: readonly (readonly [string, () => Actor, () => string])[] = [
  ['runners of a maintainer', () => p.maintainer, () => '/runners'],
  ['those with a version', () => p.maintainer, () => '/runners?version_prefix=17.'],
  ['runners of a project', () => p.maintainer, () => `/projects/${p.id}/runners`],
  ['those with a tag', () => p.maintainer, () => `/projects/${p.id}/runners?tag_list=tag-1`],
  ['runners of a group', () => group.owner, () => `/groups/${group.id}/runners`],
  ['a runner', () => p.maintainer, () => runner.path],
  ['its managers', () => p.maintainer, () => `${runner.path}/managers`],
  ['its jobs, for administrators', () => own.root, () => `${runner.path}/jobs`],
  ['its jobs', () => p.maintainer, () => `${runner.path}/jobs`],
  ['a late page of them', () => p.maintainer, () => `${runner.path}/jobs?page=90`],
  ['running ones', () => p.maintainer, () => `${runner.path}/jobs?status=running`],
  ['running ones, for administrators', () => own.root, () => `${runner.path}/jobs?status=running`],
  ['canceled ones', () => own.root, () => `${runner.path}/jobs?status=canceled`],
  ['those of a manager', () => own.root, () => `${runner.path}/jobs?system_id=s_one`],
  ['by keys', () => own.root, () => `${runner.path}/jobs?pagination=keyset&order_by=id&sort=asc`],
]

test.each(requests)('by indexes: %s', async (_, by, path) => {
  const ask = async () => expect((await by().get(path())).status).toBe(200)
  await ask()
  const begun = performance.now()
  await ask()
  console.log(`${path()}: ${(performance.now() - begun).toFixed(0)} ms`)
  const plans = await plansOf(own, ask)
  const concerned = large.flatMap((table) => concerning(plans, table))
  expect(concerned.length).toBeGreaterThan(0)
  for (const { sql: text, scanned } of concerned)
    expect([text, scanned.filter((table) => large.includes(table))]).toEqual([text, []])
})
