import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openMergeRequest } from '#test/merge-requests.ts'
import { commits, importInto } from '#test/repositories.ts'
import { openWorld, type World } from '#test/world.ts'

let own: World
let p: Awaited<ReturnType<World['project']>>
let path: string
let issue: string

beforeAll(async () => {
  own = await openWorld(undefined, 'premium')
  p = await own.project()
  const from = Buffer.from('reset refs/heads/feature\nfrom refs/heads/main\n\n')
  const main = commits({ files: { a: 'a\n' } })
  await importInto(p, Buffer.concat([main, from, commits({ branch: 'feature', files: { a: 'b\n' } })]), own)
  path = (await openMergeRequest(p, p.developer)).path
  await p.owner.post(`/projects/${p.id}/approval_rules`, {
    name: 'x',
    approvals_required: 1,
    user_ids: [p.owner.id],
  })
  await p.developer.post(`/projects/${p.id}/issues`, { title: 'x' })
  await p.developer.put(path, { description: 'Closes #1' })
  issue = `/projects/${p.id}/issues/1`
  // Five thousand other merge requests of another project, each with an approval, a version and an open thread; and as many rules, and issues that they close.
  const other = await own.project()
  await fillTables(own, async (db) => {
    await sql`
    with o as (
      insert into noteables (kind, namespace_id, updated_at)
      select 'merge_request', ${other.namespaceId}, now() from generate_series(1, 5000) returning id
    ), m as (
      insert into merge_requests (id, project_id, source_project_id, iid, title, author_id, source_branch, target_branch,
        head_sha, base_sha, start_sha, changed_files, created_at)
      select id, ${other.id}, ${other.id}, row_number() over (), 'x', 1, 'b' || id, 'main', 'a', 'a', 'a', 1, now() from o
      returning id
    ), a as (
      insert into merge_request_approvals (merge_request_id, user_id, created_at) select id, 1, now() from m
    ), v as (
      insert into merge_request_versions (merge_request_id, head_sha, base_sha, start_sha, changed_files, created_at)
      select id, 'a', 'a', 'a', 1, now() from m
    ), r as (
      insert into approval_rules (project_id, merge_request_id, name, rule_type, approvals_required)
      select ${other.id}, id, 'x', 'regular', 1 from m returning id
    ), u as (
      insert into approval_rule_users (rule_id, user_id) select id, 1 from r
    ), io as (
      insert into noteables (kind, namespace_id, updated_at)
      select 'issue', ${other.namespaceId}, now() from generate_series(1, 5000) returning id
    ), i as (
      insert into issues (id, project_id, iid, title, author_id, created_at)
      select id, ${other.id}, row_number() over (), 'x', 1, now() from io returning id, iid
    ), pairs as (
      select m.id as merge_request_id, i.id as issue_id
        from (select id, row_number() over () as iid from m) m join i on i.iid = m.iid
    ), t as (
      insert into merge_request_closings (merge_request_id, issue_id) select * from pairs
    ), c as (
      insert into merge_request_commit_closings (merge_request_id, issue_id) select * from pairs
    )
    insert into notes (noteable_id, author_id, body, type, discussion_id, starts_discussion, created_at, updated_at)
    select id, 1, 'x', 'DiscussionNote', substr(sha224(id::text::bytea), 1, 20), true, now(), now() from m`.execute(
      db,
    )
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

const tables = [
  'merge_requests',
  'merge_request_approvals',
  'merge_request_versions',
  'approval_rules',
  'approval_rule_users',
  'notes',
  'merge_request_closings',
  'merge_request_commit_closings',
]

test.each([
  'closes_issues',
  'closed_by',
  'issues',
  'approver_ids',
  'approver_ids=Any',
  'approved_by_ids',
  'approved',
  'single',
  'approvals',
  'state',
  'rules',
  'versions',
  'approve',
  'resolve',
])('approvals, versions and threads are found by indexes (%s)', async (what) => {
  const { body: thread } = await p.developer.post(`${path}/discussions`, { body: 'Well?' })
  const requests: Record<string, () => Promise<unknown>> = {
    single: () => p.developer.get(path),
    approvals: () => p.owner.get(`${path}/approvals`),
    state: () => p.owner.get(`${path}/approval_state`),
    rules: () => p.owner.get(`/projects/${p.id}/approval_rules`),
    versions: () => p.developer.get(`${path}/versions`),
    approve: () => p.owner.post(`${path}/approve`),
    closes_issues: () => p.developer.get(`${path}/closes_issues`),
    closed_by: () => p.developer.get(`${issue}/closed_by`),
    issues: () => p.developer.get(`/projects/${p.id}/issues`),
    approver_ids: () => p.owner.get(`/merge_requests?scope=all&approver_ids=${p.owner.id}`),
    'approver_ids=Any': () => p.owner.get(`/projects/${p.id}/merge_requests?approver_ids=Any`),
    approved_by_ids: () => p.owner.get(`/merge_requests?scope=all&approved_by_ids=${p.owner.id}`),
    approved: () => p.owner.get(`/projects/${p.id}/merge_requests?approved=yes`),
    resolve: () => p.developer.put(`${path}/discussions/${thread.id}`, { resolved: true }),
  }
  const plans = await plansOf(own, requests[what] ?? (async () => {}))
  for (const table of tables) {
    for (const { sql: text, scanned } of concerning(plans, table)) {
      expect([text, scanned.filter((one) => tables.includes(one))]).toEqual([text, []])
    }
  }
})
