import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, plansOf, vacuum } from '#test/plans.ts'
import { importInto, commits } from '#test/repositories.ts'
import { openWorld, type World } from '#test/world.ts'

let own: World
let p: Awaited<ReturnType<World['project']>>
let sha: string

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  sha = (await importInto(p, commits({ files: { a: 'a' } }), own)).row.last_commit_sha ?? ''
  // Twenty of the commit, among twenty thousand.
  await sql`
    insert into commit_statuses (project_id, pipeline_id, sha, ref, name, state, retried, author_id, created_at, updated_at)
    select ${p.id}, n / 20, case when n < 20 then ${sha} else encode(sha224(('c' || n / 20)::bytea), 'hex') end, 'main',
      'check ' || n % 10, 'success', n % 20 < 10, 1, now(), now()
    from generate_series(1, 20000) as n`.execute(own.db)
  await vacuum(own, 'commit_statuses')
}, 180_000)
afterAll(() => own.running.stop())

const reads = ['statuses', 'statuses?all=true&order_by=pipeline_id', 'statuses?name=check 1']

test.each(reads)('the statuses of a commit are found by an index (%s)', async (query) => {
  const plans = await plansOf(own, () =>
    p.reporter.get(`/projects/${p.id}/repository/commits/${sha}/${query}`),
  )
  const found = concerning(plans, 'commit_statuses')
  expect(found.length).toBeGreaterThan(0)
  for (const { scanned, indexes } of found) {
    expect(scanned).not.toContain('commit_statuses')
    expect(indexes.some((index) => index.startsWith('commit_statuses_'))).toBe(true)
  }
})

test('a status is set by an index', async () => {
  const set = () =>
    p.developer.post(`/projects/${p.id}/statuses/${sha}`, { state: 'running', name: 'check 3' })
  for (const { sql: text, scanned } of concerning(await plansOf(own, set), 'commit_statuses')) {
    expect([text, scanned.includes('commit_statuses')]).toEqual([text, false])
  }
})
