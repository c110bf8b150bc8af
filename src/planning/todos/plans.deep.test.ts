import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { type Actor, openWorld, type World } from '#test/world.ts'
import { insertIssues } from '#test/issues.ts'

// How lists are read where many people have to-dos.

const ISSUES = 300
const PEOPLE = 200

let own: World
let person: Actor

beforeAll(async () => {
  own = await openWorld()
  const p = await own.project({ visibility: 'public' })
  person = p.guest
  await fillTables(own, async (db) => {
    await sql`
    insert into users (username, name, email, created_at, updated_at)
    select 'other-' || n, 'Other', 'other-' || n || '@example.com', now(), now()
    from generate_series(1, ${PEOPLE}::integer) as n`.execute(db)
    await insertIssues(
      db,
      sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
      select ${p.id}::bigint, n, 'Issue ' || n, 1, now(), now() from generate_series(1, ${ISSUES}::integer) as n`,
    )
    await sql`
    insert into todos (user_id, author_id, project_id, noteable_id, action, state, created_at, updated_at)
    select u.id, u.id, i.project_id, i.id, 'marked',
      case when i.iid % 2 = 0 then 'pending' else 'done' end::todo_state, now(), now()
    from issues i, users u where u.id = ${person.id} or u.username like 'other-%'
    order by i.id, u.id`.execute(db)
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

test.each(['', '?state=done', '?action=marked', '?page=3', '?per_page=100'])(
  'GET /todos%s finds the to-dos of a person by their index',
  async (query) => {
    const path = `/todos${query}`
    await person.get(path)
    const work = async () => expect((await person.get(path)).status).toBe(200)
    const plans = concerning(await plansOf(own, work), 'todos')
    expect(plans.length).toBeGreaterThan(0)
    for (const { scanned, indexes } of plans) {
      expect(scanned).not.toContain('todos')
      expect(indexes).toContain('todos_list')
    }
  },
)

test('POST /todos/mark_as_done finds them so, too', async () => {
  const plans = concerning(await plansOf(own, () => person.post('/todos/mark_as_done')), 'todos')
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned, indexes } of plans) {
    expect(scanned).toEqual([])
    expect(indexes).toContain('todos_list')
  }
})
