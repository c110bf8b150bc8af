import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '#test/world.ts'
import { insertIssues } from '#test/issues.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { onPremium, open, openIssue, own } from './test-support.ts'

onPremium()

const GROUPS = 40
const EACH = 100

let g: Place

beforeAll(async () => {
  g = await own.group()
  const { db } = own
  // Each gets its path right in the next statement.
  await sql`
    insert into namespaces (kind, traversal_ids, path, full_path, name, full_name, visibility, parent_id, created_at, updated_at)
    select 'group', array[${g.id}::bigint], 'sub-' || n, ${g.fullPath} || '/sub-' || n,
      'sub-' || n, 'sub-' || n, 'private', ${g.id}, now(), now() from generate_series(1, ${GROUPS}::integer) n`.execute(
    db,
  )
  await sql`update namespaces set traversal_ids = array[${g.id}::bigint, id] where parent_id = ${g.id}`.execute(
    db,
  )
  await sql`
    with made as (
      insert into epics (group_id, iid, title, description, author_id, state, confidential, color, created_at)
      select n.id, i, 'Epic ' || md5(i || '-' || n.id), 'It says ' || md5(i::text),
        case when i % 50 = 1 then ${g.developer.id}::bigint else 1 end,
        case when i % 3 = 0 then 'closed' else 'opened' end::issue_state, i % 10 = 0, '#000000', now() - i * interval '1 minute'
      from namespaces n, generate_series(1, ${EACH}::integer) i where n.kind = 'group' returning id, group_id, created_at)
    insert into noteables (id, kind, namespace_id, updated_at) select id, 'epic', group_id, created_at from made`.execute(
    db,
  )
  await sql`insert into labels (namespace_id, name, color, created_at, updated_at)
    values (${g.id}, 'rare', '#000000', now(), now())`.execute(db)
  await sql`insert into epic_labels (epic_id, label_id)
    select e.id, l.id from epics e, labels l where l.name = 'rare' and e.iid = 7`.execute(db)
  await sql`insert into labels (namespace_id, name, color, created_at, updated_at)
    select ${g.id}, 'common-' || n, '#000000', now(), now() from generate_series(1, 5) n`.execute(db)
  await sql`insert into epic_labels (epic_id, label_id)
    select e.id, l.id from epics e, labels l where l.name like 'common-%'`.execute(db)
  await vacuum(own)
}, 180_000)

/** The indexes of tables of epics that the statement that finds ids reads, and what is scanned. */
async function found(query: string) {
  const plans = concerning(
    await plansOf(own, async () => {
      const { status, body } = await g.guest.get(`/groups/${g.id}/epics?${query}`)
      expect([status, body.length > 0]).toEqual([200, true])
    }),
    'epics',
  )
  const scanned = plans.flatMap((plan) => plan.scanned)
  return { indexes: new Set(plans.flatMap((plan) => plan.indexes)), scanned }
}

describe('GET /groups/:id/epics reads epics by indexes', () => {
  test.each([
    ['', 'epics_created_at'],
    ['sort=asc', 'epics_created_at'],
    ['order_by=title', 'epics_title'],
    ['order_by=updated_at', 'noteables_changed'],
    ['include_descendant_groups=false', 'epics_created_at'],
    ['state=closed', 'epics_created_at'],
    ['labels=rare', 'epic_labels_label'],
    ['search=8f14e45f', 'epics_search'],
  ])('?%s by %s', async (query, index) => {
    const { indexes, scanned } = await found(query)
    expect(indexes).toContain(index)
    expect(scanned).not.toContain('epics')
    expect(scanned).not.toContain('noteables')
  })

  test('by its author', async () => {
    const { indexes, scanned } = await found(`author_id=${g.developer.id}`)
    expect(indexes).toContain('epics_author')
    expect(scanned).not.toContain('epics')
  })
})

test('a list takes three statements, however many epics it has', async () => {
  const path = `/groups/${g.id}/epics`
  expect(await own.statements(() => g.guest.get(path))).toHaveLength(3)
  expect(await own.statements(() => g.guest.get(`${path}?per_page=100&labels=rare`))).toHaveLength(3)
})

describe('what hangs on an epic is found by its index', () => {
  let o: Place
  let path: string

  beforeAll(async () => {
    o = await own.group()
    const parent = await open(o.planner, o)
    path = `/groups/${o.id}/epics/${parent.iid}`
    const { planner, id } = await own.project({ parent: o.id })
    const child = await open(o.planner, o)
    const issue = await openIssue(planner, { id })
    for (const [kind, what] of [
      ['epics', child.id],
      ['issues', issue.id],
    ])
      await o.maintainer.post(`${path}/${kind}/${what}`)
    const link = { target_group_id: o.id, target_epic_iid: child.iid }
    await o.planner.post(`${path}/related_epics`, link)
    // Many others of each kind, of other epics.
    await insertIssues(
      own.db,
      sql`insert into issues (project_id, iid, title, author_id, state, issue_type, created_at, updated_at)
        select ${id}::bigint, 100 + n, 'Issue ' || n, 1, 'opened', 'issue', now(), now() from generate_series(1, 3000) n`,
    )
    await fillTables(own, async (db) => {
      await sql`update epics set parent_id = ${child.id}, relative_position = iid where iid between 10 and 90`.execute(
        db,
      )
      await sql`insert into epic_issues (epic_id, issue_id, relative_position, created_at)
        select (select min(id) from epics) + row_number() over () % 4000, i.id, 1, now()
          from issues i where i.iid > 100`.execute(db)
      await sql`insert into epic_links (source_id, target_id, link_type, created_at, updated_at)
        select e.id, e.id + 1000000 + n, 'relates_to', now(), now() from epics e, generate_series(1, 5) n
        where e.id <> ${parent.id}`.execute(db)
    })
    await vacuum(own)
  })

  test.each([
    ['epics', 'epics', 'epics_children'],
    ['issues', 'epic_issues', 'epic_issues_list'],
    ['related_epics', 'epic_links', 'epic_links_source'],
  ])('GET …/%s reads %s by %s', async (list, table, index) => {
    const plans = concerning(
      await plansOf(own, async () => {
        const { status, body } = await o.guest.get(`${path}/${list}`)
        expect([status, body.length]).toEqual([200, 1])
      }),
      table,
    )
    expect(plans.flatMap(({ indexes }) => indexes)).toContain(index)
    expect(plans.flatMap(({ scanned }) => scanned)).not.toContain(table)
  })
})
