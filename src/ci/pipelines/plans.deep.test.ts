import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { until } from '#test/until.ts'
import { openWorld, type World } from '#test/world.ts'
import { expireArtifacts } from '../artifacts/expire-artifacts.ts'
import { failStuckJobs } from '../jobs/fail-stuck-jobs.ts'
import { countUnfinishedJobs } from '../jobs/metrics.ts'
import { runSchedules } from '../pipeline-schedules/run-schedules.ts'
import { deleteOldPipelines } from './delete-old-pipelines.ts'

// How pipelines and jobs are read in an instance with many of them, a tenth of which are in one project.

const PIPELINES = 20_000
const JOBS = 10

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const other = await own.project()
  await p.maintainer.post(`/projects/${p.id}/triggers`, { description: 'The token of all' })
  await fillTables(own, async (db) => {
    await sql`
      insert into pipelines (id, project_id, iid, source, status, ref, tag, protected, sha, before_sha, user_id, created_at, updated_at)
      select n, case when n % 10 = 0 then ${p.id}::bigint else ${other.id}::bigint end, n,
        (array['push', 'schedule', 'api'])[n % 3 + 1], (array['success', 'failed', 'canceled']::ci_status[])[n % 3 + 1],
        'branch-' || n % 500, false, false, encode(sha224(n::text::bytea), 'hex'), repeat('0', 40), ${p.developer.id}::bigint,
        now() - n * interval '1 minute', now() - n * interval '1 minute'
      from generate_series(1, ${PIPELINES}::integer) as n`.execute(db)
    await sql`insert into ci_job_definitions (id, pipeline_id, definition) select n, n, '{}' from generate_series(1, ${PIPELINES}::integer) as n`.execute(
      db,
    )
    await sql`
      insert into ci_jobs (project_id, pipeline_id, definition_id, bridge, name, stage, stage_index, status, run_when, allow_failure,
          interruptible, timeout, created_at, updated_at)
      select p.project_id, p.id, p.id, n % 10 = 9, 'job-' || n, 'test', 1, case when n = 1 and p.id > 19990 then 'pending' else p.status end,
        'on_success', false, false, 3600, now(), now()
      from pipelines p, generate_series(1, ${JOBS}::integer) as n`.execute(db)
    // No project has more than fifty of these.
    await sql`
      insert into pipeline_schedules (project_id, description, ref, cron, cron_timezone, active, next_run_at, owner_id, created_at, updated_at)
      select case when n <= 50 then ${p.id}::bigint else 1000 + n / 50 end, 'x', 'refs/heads/main', '0 1 * * *', 'UTC', true,
        now() + n * interval '1 minute', ${p.developer.id}::bigint, now(), now()
      from generate_series(1, ${PIPELINES * JOBS}::integer) as n`.execute(db)
    await sql`
      insert into pipeline_triggers (project_id, description, token_digest, token, owner_id, created_at, updated_at)
      select case when n <= 50 then ${p.id}::bigint else 1000 + n / 50 end, 'x', sha256(n::text::bytea), (select token from pipeline_triggers limit 1),
        ${p.maintainer.id}::bigint, now(), now()
      from generate_series(1, ${PIPELINES}::integer) as n`.execute(db)
    await sql`
      insert into files (id, storage, key, sha256, size, created_at, used_at)
      values (repeat('0', 32), 'disk', '00/' || repeat('0', 30), sha256('x'), 1, now(), now())`.execute(db)
    await sql`
      insert into ci_job_artifacts (project_id, job_id, file_id, file_type, file_format, filename, size, expire_at, created_at)
      select j.project_id, j.id, repeat('0', 32), t.type, 'raw', 'x', 1, now() + j.id * interval '1 minute', now()
      from ci_jobs j, (values ('archive'), ('junit')) as t (type)`.execute(db)
  })
  await vacuum(own)
}, 240_000)
afterAll(() => own.running.stop())

const large = [
  'pipelines',
  'ci_jobs',
  'ci_job_definitions',
  'ci_job_artifacts',
  'pipeline_schedules',
  'pipeline_triggers',
]
const isLarge = (table: string) => large.includes(table)

const base = () => `/projects/${p.id}`
test.each([
  'pipelines',
  'pipelines?ref=branch-10',
  'pipelines?status=failed',
  'pipelines?source=schedule',
  'pipelines?order_by=updated_at',
  'pipelines/latest?ref=branch-10',
  'pipelines/20',
  'pipelines/20/jobs',
  'pipelines/20/bridges',
  'jobs',
  'jobs?pagination=keyset&per_page=20',
  'jobs?scope[]=pending',
  'jobs?page=300',
  'pipeline_schedules',
  'pipeline_schedules?scope=inactive',
  'triggers',
  'jobs/11/artifacts/x.txt',
  'jobs/11/trace',
])('%s is found by an index', async (path) => {
  const plans = await plansOf(own, () => p.maintainer.get(`${base()}/${path}`))
  const concerned = large.flatMap((table) => concerning(plans, table))
  expect(concerned.length).toBeGreaterThan(0)
  for (const { sql: text, scanned } of concerned) expect([text, scanned.filter(isLarge)]).toEqual([text, []])
})

test('a page of jobs by keyset reads as many rows wherever it is', async () => {
  await until(async () => {
    const seen: number[] = []
    let path = `${base()}/jobs?pagination=keyset&per_page=100`
    for (let page = 0; page < 20; page += 1) {
      const started = performance.now()
      const { headers, body } = await p.developer.get(path)
      seen.push(performance.now() - started)
      expect(body).toHaveLength(100)
      path = (/<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '').replace(/^.*\/api\/v4/, '')
    }
    const [first, last] = [Math.min(...seen.slice(0, 5)), Math.min(...seen.slice(-5))]
    expect(last).toBeLessThan(first * 3 + 20)
  })
})

test.each([
  ['that begins schedules', runSchedules],
  ['that ends artifacts', expireArtifacts],
  ['that deletes old pipelines', deleteOldPipelines],
  ['that fails jobs which nobody runs', failStuckJobs],
])('a job of the queue %s finds what is due by an index', async (_, task) => {
  const { signal } = new AbortController()
  const plans = await plansOf(own, () =>
    task.execute({}, jobContext(own.running.services, { attempt: 1, signal })),
  )
  const concerned = large.flatMap((table) => concerning(plans, table))
  expect(concerned.length).toBeGreaterThan(0)
  for (const { sql: text, scanned } of concerned) expect([text, scanned.filter(isLarge)]).toEqual([text, []])
})

test('a scrape of metrics counts what waits by an index', async () => {
  const plans = await plansOf(own, () => countUnfinishedJobs(own.running.services.db))
  const concerned = concerning(plans, 'ci_jobs')
  expect(concerned.length).toBeGreaterThan(0)
  for (const { sql: text, scanned } of concerned) expect([text, scanned.filter(isLarge)]).toEqual([text, []])
})
