import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// How pipelines and jobs are read in an instance with many of them, a tenth of which are in one project.

const PIPELINES = 20_000
const JOBS = 10

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const other = await own.project()
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
  })
  await vacuum(own)
}, 240_000)
afterAll(() => own.running.stop())

const isLarge = (table: string) => ['pipelines', 'ci_jobs', 'ci_job_definitions'].includes(table)

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
])('%s is found by an index', async (path) => {
  const plans = await plansOf(own, () => p.developer.get(`${base()}/${path}`))
  const concerned = [...concerning(plans, 'pipelines'), ...concerning(plans, 'ci_jobs')]
  expect(concerned.length).toBeGreaterThan(0)
  for (const { sql: text, scanned } of concerned) expect([text, scanned.filter(isLarge)]).toEqual([text, []])
})

test('a page of jobs by keyset reads as many rows wherever it is', async () => {
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
