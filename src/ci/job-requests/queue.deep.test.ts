import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, rowsRead, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { BEGINNING, chooseJobs, jobsBeyond, MOST_SEEN } from './choose-jobs.ts'

// What a search for a job costs where very many wait: 200,000 in one project, and a hundred in each of 2,000 others. The jobs of each have
// three sets of tags.

const PROJECTS = 2_000
const OTHERS = 100
const LARGE = 200_000

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  await fillTables(own, async (db) => {
    for (const [table, ids] of [
      [
        'namespaces',
        sql`jsonb_build_object('id', t.id + s * 1000000, 'path', 'x' || s, 'name', 'x' || s, 'full_path', 'x' || s)`,
      ],
      [
        'projects',
        sql`jsonb_build_object('id', t.id + s, 'project_namespace_id', t.project_namespace_id + s * 1000000)`,
      ],
    ] as const)
      await sql`
        insert into ${sql.table(table)} overriding system value
          select (jsonb_populate_record(null::${sql.table(table)}, to_jsonb(t) || ${ids})).*
          from ${sql.table(table)} t, generate_series(1, ${PROJECTS}::integer) as s
          where t.id = ${table === 'projects' ? p.id : p.namespaceId}`.execute(db)
    await sql`
      insert into pipelines (id, project_id, iid, source, status, ref, tag, protected, sha, before_sha, user_id, created_at, updated_at)
      select n, ${p.id}::bigint + greatest(0, n - ${LARGE / 100}), n, 'push', 'running', 'main', false, false, repeat('1', 40), repeat('0', 40),
        1, now(), now() from generate_series(1, ${LARGE / 100 + PROJECTS}::integer) as n`.execute(db)
    await sql`insert into ci_job_definitions (id, pipeline_id, definition) select id, id, '{}' from pipelines`.execute(
      db,
    )
    await sql`
      insert into ci_jobs (project_id, pipeline_id, definition_id, bridge, name, stage, stage_index, status, run_when, allow_failure,
          interruptible, timeout, created_at, updated_at, queued_at, tags)
      select p.project_id, p.id, p.id, false, 'job-' || n, 'test', 1, 'pending', 'on_success', false, false, 3600, now(), now(),
        now() - n * interval '1 second', (array['{}', '{gpu}', '{gpu,large}']::text[])[n % 3 + 1]::text[]
      from pipelines p, generate_series(1, ${OTHERS}::integer) as n`.execute(db)
    await sql`
      insert into ci_runners (id, runner_type, token_digest, by_registration, created_at, updated_at)
      values (1, 'project_type', sha256('1'), false, now(), now()), (2, 'instance_type', sha256('2'), false, now(), now())`.execute(
      db,
    )
    await sql`insert into ci_runner_projects (runner_id, project_id, is_owner, created_at) values (1, ${p.id}, true, now())`.execute(
      db,
    )
    // Some of them run.
    await sql`
      insert into ci_running_jobs (job_id, runner_id, token_digest, contacted_at)
      select id, 2, sha256(id::text::bytea), now() from ci_jobs where id % 1000 = 0`.execute(db)
  })
  await vacuum(own)
}, 240_000)
afterAll(() => own.running.stop())

const instance = {
  id: 2,
  runner_type: 'instance_type',
  group_namespace_id: null,
  run_untagged: true,
  access_level: 'not_protected',
  tags: [] as string[],
} as const
const runners = {
  'any runner': instance,
  'a runner with tags': { ...instance, run_untagged: false, tags: ['gpu'] },
  'a runner for protected branches, of which there are none': { ...instance, access_level: 'ref_protected' },
  'a runner of a group': { ...instance, runner_type: 'group_type', group_namespace_id: 1 },
  'a runner of the large project': { ...instance, id: 1, runner_type: 'project_type' },
} as const

describe('a search looks at one job for each kind', () => {
  test.each(Object.entries(runners))('%s', async (_, runner) => {
    const { db } = own.running.services
    const search = () => chooseJobs(db, runner, [])
    for (const planning of ['for the values', 'for any values'] as const)
      expect(await rowsRead(own, ['ci_jobs'], planning, search)).toBeLessThan(2 * MOST_SEEN + 1_000)
    for (const plan of concerning(await plansOf(own, search), 'ci_jobs')) {
      expect(plan.scanned.filter((table) => table === 'ci_jobs')).toEqual([])
      expect(plan.indexes).toContain('ci_jobs_queue')
    }
    const times: number[] = []
    for (let n = 0; n < 10; n += 1) {
      const begun = performance.now()
      await search()
      times.push(performance.now() - begun)
    }
    const [quickest = 0] = times.toSorted((a, b) => a - b)
    console.log(`${_}: ${quickest.toFixed(1)} ms`)
    expect(quickest).toBeLessThan(40)
  })
})

test('searches one after the other see all projects, whatever is found', async () => {
  const { db } = own.running.services
  const projects = new Set<number>()
  let from: Awaited<ReturnType<typeof chooseJobs>>['end']
  for (let n = 0; n < 100; n += 1) {
    const { candidates, end } = await chooseJobs(db, instance, [], { from: from ?? BEGINNING })
    for (const { project_id } of candidates) projects.add(project_id)
    from = end
    if (end === undefined) break
  }
  expect(from).toBeUndefined()
  expect(projects.size).toBeGreaterThan((PROJECTS * 3) / MOST_SEEN)
  expect((await jobsBeyond(db, instance, [])).candidates).toEqual([])
})
