import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// How lists are read in a project with many environments and deployments, beside one with more.

const ENVIRONMENTS = 2_000
const DEPLOYMENTS = 30_000

const isLarge = (table: string) => table === 'environments' || table === 'deployments'

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const other = await own.project()
  await fillTables(own, async (db) => {
    await sql`
    insert into environments (project_id, name, slug, tier, state, created_at, updated_at)
    select p.id, case when n % 2 = 0 then 'review/' else 'env-' end || n, 'env-' || n, 'other',
      case when n % 40 = 0 then 'stopped' else 'available' end::environment_state, now() - n * interval '1 h', now()
    from projects p, generate_series(1, ${ENVIRONMENTS}::integer * case p.id when ${p.id} then 1 else 10 end) as n where p.id in (${p.id}, ${other.id})`.execute(
      db,
    )
    await sql`
    insert into deployments (project_id, environment_id, iid, sha, ref, tag, status, user_id, created_at, updated_at,
      finished_at)
    select p.id, e.id,
      n, ${'a'.repeat(40)}, 'branch-' || n % 50, false,
      case n % 20 when 0 then 'failed' when 1 then 'running' else 'success' end::deployment_status, ${p.developer.id},
      at, at, at
    from projects p, generate_series(1, ${DEPLOYMENTS}::integer) as n,
      lateral (select timestamptz '2030-01-01' + n * interval '1 s' as at) as moment, environments e
    where p.id in (${p.id}, ${other.id}) and e.project_id = p.id and e.slug = 'env-' || (n % ${ENVIRONMENTS}::integer + 1)`.execute(
      db,
    )
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

test.each([
  ['/environments', 'environments'],
  ['/environments?states=stopped', 'environments'],
  ['/environments?name=env-1', 'environments'],
  ['/environments?page=30', 'environments'],
  ['/deployments', 'deployments'],
  ['/deployments?sort=desc', 'deployments'],
  ['/deployments?order_by=ref', 'deployments'],
  ['/deployments?order_by=updated_at&sort=desc', 'deployments'],
  ['/deployments?status=failed', 'deployments'],
  ['/deployments?environment=env-1', 'deployments'],
  ['/deployments?environment=env-1&status=success&sort=desc', 'deployments'],
  ['/deployments?updated_after=2090-01-01', 'deployments'],
  ['/deployments?finished_after=2090-01-01&order_by=finished_at&status=success', 'deployments'],
  [
    '/deployments?finished_before=2030-01-01T00:10:00Z&order_by=finished_at&status=success&sort=desc',
    'deployments',
  ],
])('GET /projects/:id%s reads no table from start to end', async (query, table) => {
  const path = `/projects/${p.id}${query}`
  await p.reporter.get(path)
  const work = async () => expect((await p.reporter.get(path)).status).toBe(200)
  const plans = concerning(await plansOf(own, work), table)
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned, sql: text } of plans) expect([text, scanned.filter(isLarge)]).toEqual([text, []])
})

test('what is deployed to an environment is found by its index', async () => {
  const { rows } = await sql<{ id: number }>`
    select id from environments where project_id = ${p.id} and name = 'env-1' and deleted_at is null`.execute(
    own.db,
  )
  const path = `/projects/${p.id}/environments/${rows[0]?.id}`
  await p.reporter.get(path)
  const plans = concerning(await plansOf(own, () => p.reporter.get(path)), 'deployments')
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned, indexes } of plans) {
    expect(scanned.filter(isLarge)).toEqual([])
    expect(indexes).toContain('deployments_successful')
  }
})

test('old review apps are found by their index', async () => {
  const path = `/projects/${p.id}/environments/review_apps?before=2090-01-01&limit=10`
  await p.developer.delete(path)
  const plans = concerning(await plansOf(own, () => p.developer.delete(path)), 'environments')
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned, indexes } of plans) {
    expect(scanned.filter(isLarge)).toEqual([])
    expect(indexes).toContain('environments_review_apps')
  }
})
