import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Place } from '../../../test/world.ts'
import { concerning, plansOf } from '../../../test/plans.ts'
import { onPremium, own } from './test-support.ts'

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
  await own.running.services.pool.query('vacuum analyze')
}, 60_000)

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
