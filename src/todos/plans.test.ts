import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, plansOf } from '../../test/plans.ts'
import { type Actor, openWorld, type World } from '../../test/world.ts'

// How the list is read where one person has many to-dos, most of them done, and others have some too.

const TODOS = Number(process.env['TODOS'] ?? 10_000)

let own: World
let busy: Actor

beforeAll(async () => {
  own = await openWorld()
  const p = await own.project({ visibility: 'public' })
  busy = p.guest
  const { db } = own
  await sql`
    insert into issues (project_id, iid, title, author_id, created_at, updated_at)
    select ${p.id}, n, 'Issue ' || n, 1, now(), now() from generate_series(1, ${TODOS}::integer) as n`.execute(db)
  await sql`
    insert into todos (user_id, author_id, project_id, issue_id, action, state, created_at, updated_at)
    select u.id, u.id, i.project_id, i.id, 'marked',
      case when i.iid % 5 = 0 then 'pending' else 'done' end::todo_state, now(), now()
    from issues i join users u on u.id = ${busy.id} or i.iid % 50 = 0`.execute(db)
  await own.running.services.pool.query('vacuum analyze')
}, 600_000)
afterAll(() => own.running.stop())

test.each(['', '?state=done', '?page=20', '?action=marked&author_id=1', '?group_id=1', '?project_id=1'])(
  'GET /todos%s reads the to-dos in the order of their index',
  async (query) => {
    for (let i = 0; i < 8; i++) await busy.get(`/todos${query}`)
    const started = performance.now()
    for (let i = 0; i < 10; i++) await busy.get(`/todos${query}`)
    console.log(query, (performance.now() - started) / 10)
    const plans = concerning(await plansOf(own, () => busy.get(`/todos${query}`)), 'todos')
    expect(plans.length).toBeGreaterThan(0)
    for (const { scanned, indexes, sorts } of plans) {
      console.log(JSON.stringify({ scanned, indexes, sorts }))
      expect({ scanned: scanned.filter((table) => table === 'todos' || table === 'issues'), sorts }).toEqual({ scanned: [], sorts: [] })
      expect(indexes).toContain('todos_list')
    }
  },
)
test('all', async () => {
    const started = performance.now()
    console.log((await busy.post(`/todos/mark_as_done`)).status)
    console.log('all', (performance.now() - started))
})
