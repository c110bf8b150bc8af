import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '#platform/db/pool.ts'
import { take } from '#platform/mail/deliver-mails.ts'
import { insertIssues } from '#test/issues.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { nextPeople } from './audience.ts'
import { contextOf } from './context.ts'
import { noticeOf } from './event.ts'

// How those whom a note concerns are found, and the mails for them, where there are many other people, notes and mails.

const PEOPLE = 2_000
const ISSUES = 200
const MAILS = 8_000

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  await fillTables(own, fill)
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

async function fill(db: Db): Promise<void> {
  await sql`
    insert into users (username, name, email, created_at, updated_at)
    select 'many-' || n, 'Many', 'many-' || n || '@example.com', now(), now()
    from generate_series(1, ${PEOPLE}::integer) as n`.execute(db)
  await sql`
    insert into namespaces (kind, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'group', array[0], 'g' || n, 'g' || n, 'g', 'g', 'private', now(), now()
    from generate_series(1, 300) as n`.execute(db)
  await sql`
    insert into members (namespace_id, user_id, access_level, created_at, updated_at)
    select n.id, u.id, 30, now(), now() from namespaces n join users u on u.id % 20 = n.id % 20
    where n.path ~ '^g[0-9]+$' and u.username like 'many-%'`.execute(db)
  await sql`
    insert into notification_settings (user_id, namespace_id, level, updated_at)
    select m.user_id, m.namespace_id, 'watch', now() from members m join users u on u.id = m.user_id
    where u.username like 'many-%'`.execute(db)
  await insertIssues(
    db,
    sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
      select ${p.id}::bigint, 100 + n, 'Issue', 1, now(), now() from generate_series(1, ${ISSUES}::integer) as n`,
  )
  await sql`
    with made as (
      insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, system, created_at, updated_at)
      select i.id, u.id, 'x', sha224((i.id || '-' || u.id)::bytea), true, false, now(), now()
      from issues i, users u where i.iid > 100 and u.username like 'many-%' and u.id % 30 = 0
      returning id, noteable_id, author_id), mentions as (
      insert into user_mentions (noteable_id, note_id, user_id) select noteable_id, id, author_id from made)
    insert into subscriptions (noteable_id, user_id, subscribed) select noteable_id, author_id, true from made`.execute(
    db,
  )
  await sql`
    insert into mails (content, due_at, ended_at, outcome)
    select case when n % 2 = 0 then '{}'::jsonb end, now() + interval '1 day', case when n % 2 = 1 then now() end,
      case when n % 2 = 1 then 'sent' end from generate_series(1, ${MAILS}::integer) as n`.execute(db)
}

test('people are found by indexes, whoever else there is', async () => {
  const { body: issue } = await p.owner.post(`/projects/${p.id}/issues`, { title: 'Among many' })
  const { body: note } = await p.owner.post(`/projects/${p.id}/issues/${issue.iid}/notes`, {
    body: `@${p.guest.username}`,
  })
  const notice = noticeOf({
    name: 'note created',
    namespace: p.namespaceId,
    target: { type: 'Note', id: note.id },
    details: { noteable_type: 'Issue', noteable_id: issue.id, internal: false },
  })
  if (notice === undefined) throw new Error('A note means nothing')
  const [today, at] = ['2030-01-01', '2030-01-01T00:00:00.000Z']
  const plans = await plansOf(own, async () => {
    const context = await contextOf(own.db, notice)
    if (context === undefined) throw new Error('The note is gone')
    const { place, kind } = context
    const { people } = await nextPeople(own.db, { notice, place, kind, today, at, licensed: true }, 0)
    expect(people.map(({ id }) => id)).toContain(p.guest.id)
  })
  const finding = concerning(plans, 'user_mentions')
  expect(finding.length).toBeGreaterThan(0)
  // The others have no rows here, or few.
  const large = ['users', 'members', 'notes', 'subscriptions', 'user_mentions', 'notification_settings']
  for (const { scanned } of finding) expect(scanned.filter((table) => large.includes(table))).toEqual([])
})

test('a mail that is due is found by an index, however many ended or wait for later', async () => {
  const plans = await plansOf(own, () => take({ db: own.running.services.db }))
  const taking = concerning(plans, 'mails')
  expect(taking.length).toBeGreaterThan(0)
  for (const { scanned, indexes } of taking) {
    expect(scanned).toEqual([])
    expect(indexes).toContain('mails_due')
  }
})
