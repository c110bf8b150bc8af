import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openMergeRequest } from '#test/merge-requests.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { commits, importInto } from '#test/repositories.ts'
import { openWorld, type World } from '#test/world.ts'
import { affectedBy, nextInto } from './affected.ts'

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const from = Buffer.from('reset refs/heads/feature\nfrom refs/heads/main\n\n')
  const stream = [commits({ files: { a: 'a' } }), from, commits({ branch: 'feature', files: { b: 'b' } })]
  await importInto(p, Buffer.concat(stream), own)
  const { body } = await openMergeRequest(p, p.developer)
  const other = await own.project()
  // Of each project twenty are open, among twenty thousand that are not.
  await fillTables(own, async (db) => {
    await sql`
    with made as (
      insert into noteables (kind, namespace_id, updated_at)
      select 'merge_request', ${p.namespaceId}, now() from generate_series(1, 20000) returning id
    )
    insert into merge_requests (id, project_id, source_project_id, iid, title, author_id, source_branch, target_branch, head_sha,
      start_sha, changed_files, created_at, state)
    select id, case when id % 2 = 0 then ${p.id}::bigint else ${other.id} end, ${p.id}, 1000 + id, 'x', 1, 'b' || id, 'main',
      ${body.sha}, ${body.sha}, 1, now(), case when id % 1000 = 0 then 'opened' else 'merged' end::merge_request_state
    from made`.execute(db)
  })
  await vacuum(own, 'merge_requests')
}, 180_000)
afterAll(() => own.running.stop())

test('what a push concerns is found by indexes', async () => {
  const { db } = own.running.services
  const plans = await plansOf(own, async () => {
    await affectedBy(db, p.id, ['feature', 'main'], 1)
    await nextInto(db, p.id, ['main'], 0)
  })
  const found = concerning(plans, 'merge_requests')
  expect(found.length).toBeGreaterThan(0)
  for (const { sql: text, scanned } of found)
    expect([text, scanned.includes('merge_requests')]).toEqual([text, false])
})
