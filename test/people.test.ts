import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { w } from './world.ts'

/** Everything about a user, but for ids, names, secrets and moments. */
async function rowsOf({ id, username }: { id: number; username: string }) {
  const { rows } = await sql<{ table: string; row: Record<string, unknown> }>`
    select 'user' as "table", to_jsonb(u) as row from users u where id = ${id}
    union all select 'namespace', to_jsonb(n) - 'traversal_ids' from namespaces n where owner_id = ${id}
    union all select 'depth', to_jsonb(cardinality(traversal_ids)) from namespaces where owner_id = ${id}
    union all select * from (
      select 'member', to_jsonb(m) from members m where user_id = ${id} order by namespace_id in (
        select id from namespaces where owner_id = ${id})) as members
    union all select 'token', to_jsonb(t) - 'digest' from access_tokens t where user_id = ${id}`.execute(w.db)
  const text = JSON.stringify(rows)
    .replaceAll(username, 'NAME')
    .replaceAll(/"(\w+_at|id|user_id|owner_id|namespace_id)":("[^"]*"|\d+)/g, '"$1":"some"')
  return JSON.parse(text) as unknown
}

test('the people of a place are like users and members that the program makes', async () => {
  const { guest, stranger } = await w.project()
  const { namespaceId } = await w.project()
  const user = await w.user()
  expect(await rowsOf(stranger)).toEqual(await rowsOf(user))
  await w.member(namespaceId, user, 10)
  expect(await rowsOf(guest)).toEqual(await rowsOf(user))
  for (const actor of [guest, stranger, user]) {
    const { status, body } = await actor.get('/user')
    expect([status, body.id, body.username]).toEqual([200, actor.id, actor.username])
  }
})
