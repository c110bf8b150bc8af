import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { insertIssues } from '#test/issues.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// Lists of what hangs on issues, in tables that are large because of other issues. Those of issues themselves are in
// src/planning/issues/plans.deep.test.ts.

/** Issues in all, and what each of them has of everything. */
const ISSUES = 2_000
const EACH = 15

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const { body: neighbour } = await own.root.post('/projects', { name: 'Neighbour' })
  for (let count = 0; count < 10; count += 1) await own.root.post('/projects', { name: `Other ${count}` })
  const author = p.reporter.id
  const { db } = own
  const sizes = { issues: ISSUES, each: EACH }
  await insertIssues(
    db,
    sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
    select case when n <= 20 then ${p.id}::bigint else ${neighbour.id}::bigint end, n, 'Issue ' || n, ${author}::bigint, now(), now()
    from generate_series(1, ${sizes.issues}::integer) as n`,
  )
  await fillTables(own, async (db) => {
    await sql`
    insert into milestones (namespace_id, iid, title, due_date, created_at, updated_at)
    select ns.id, n, 'Milestone ' || n, date '2026-01-01' + n, now(), now()
    from namespaces ns, generate_series(1, 1000) as n where ns.kind <> 'user'`.execute(db)
    await sql`
    insert into labels (namespace_id, name, color, created_at, updated_at)
    select ns.id, 'label-' || n, '#ff0000', now(), now()
    from namespaces ns, generate_series(1, 1000) as n where ns.kind <> 'user'`.execute(db)
    await sql`update issues set milestone_id = (select min(m.id) from milestones m
    join projects p on p.project_namespace_id = m.namespace_id where p.id = issues.project_id)`.execute(db)
    const series = sql`issues i, generate_series(1, ${sizes.each}::integer) as n`
    await sql`
    insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, created_at, updated_at)
    select i.id, ${author}::bigint, 'A comment', sha224((i.id || '-' || n)::bytea), true, now() + n * interval '1 s', now()
    from ${series}`.execute(db)
    await sql`
    insert into award_emoji (noteable_id, name, user_id, created_at, updated_at)
    select i.id, 'emoji-' || n, ${author}::bigint, now(), now() from ${series}`.execute(db)
    await sql`
    insert into award_emoji (note_id, name, user_id, created_at, updated_at)
    select id, 'tada', ${author}::bigint, now(), now() from notes`.execute(db)
    await sql`
    insert into resource_events (kind, noteable_id, user_id, created_at, state)
    select 'state', i.id, ${author}::bigint, now() + n * interval '1 s', 'closed' from ${series}`.execute(db)
    await sql`
    insert into resource_events (kind, noteable_id, user_id, created_at, action, label_id)
    select 'label', i.id, ${author}::bigint, now(), 'add', (select min(id) from labels) from ${series}`.execute(
      db,
    )
    await sql`
    insert into resource_events (kind, noteable_id, user_id, created_at, action, milestone_id)
    select 'milestone', i.id, ${author}::bigint, now(), 'add', i.milestone_id from ${series}`.execute(db)
    await sql`
    insert into issue_links (source_id, target_id, link_type, created_at, updated_at)
    select i.id, i.id + n, 'relates_to', now(), now() from ${series}
    where exists (select 1 from issues x where x.id = i.id + n)`.execute(db)
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

const issue = () => `/projects/${p.id}/issues/1`

/** A path, and the table that it may not read from start to end. */
const lists: [name: string, table: string, path: () => string | Promise<string>][] = [
  ['notes of an issue', 'notes', () => `${issue()}/notes`],
  ['notes by their last change', 'notes', () => `${issue()}/notes?order_by=updated_at&sort=asc`],
  ['comments alone', 'notes', () => `${issue()}/notes?activity_filter=only_comments`],
  ['discussions', 'notes', () => `${issue()}/discussions`],
  ['reactions to an issue', 'award_emoji', () => `${issue()}/award_emoji`],
  ['reactions to a note', 'award_emoji', async () => `${issue()}/notes/${await firstNote()}/award_emoji`],
  ['changes of state', 'resource_events', () => `${issue()}/resource_state_events`],
  ['changes of labels', 'resource_events', () => `${issue()}/resource_label_events`],
  ['changes of the milestone', 'resource_events', () => `${issue()}/resource_milestone_events`],
  ['participants', 'notes', () => `${issue()}/participants`],
  ['links', 'issue_links', () => `${issue()}/links`],
  ['milestones of a project', 'milestones', () => `/projects/${p.id}/milestones`],
  ['milestones of a group', 'milestones', () => `/groups/${p.groupId}/milestones`],
  [
    'issues of a milestone',
    'issues',
    async () => `/projects/${p.id}/milestones/${await firstMilestone()}/issues`,
  ],
  ['labels of a project', 'labels', () => `/projects/${p.id}/labels?include_ancestor_groups=false`],
]

const firstNote = async () => (await p.guest.get(`${issue()}/notes`)).body[0].id
const firstMilestone = async () => (await p.guest.get(issue())).body.milestone.id

test.each(lists)('%s are found by an index', async (_, table, pathOf) => {
  const path = await pathOf()
  const answer = await p.guest.get(path)
  expect({ path, status: answer.status, rows: answer.body.length > 0 }).toEqual({
    path,
    status: 200,
    rows: true,
  })
  const plans = concerning(await plansOf(own, () => p.guest.get(path)), table)
  expect(plans).not.toEqual([])
  expect(plans.filter(({ scanned }) => scanned.includes(table))).toEqual([])
})
