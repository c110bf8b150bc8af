import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertIssues } from '#test/issues.ts'
import { fillTables, rowsRead, vacuum } from '#test/plans.ts'
import { roundTrips } from '#test/round-trips.ts'
import { openWorld, type World } from '#test/world.ts'

// What a request about one issue reads does not grow with what others wrote there, nor with the projects of others.

const NOTES = 3_000
const PROJECTS = 2_000

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  await insertIssues(
    own.db,
    sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
      values (${p.id}, 500, 'Busy', 1, now(), now())`,
  )
  // System notes of the caller do not make them a participant, nor do comments of others.
  await fillTables(own, async (db) => {
    await sql`
      insert into notes (noteable_id, author_id, body, discussion_id, starts_discussion, system, created_at, updated_at)
      select i.id, case when n % 2 = 0 then ${p.developer.id}::bigint else ${p.maintainer.id}::bigint end, 'Text',
        sha224(n::text::bytea), true, n % 2 = 0, now(), now()
      from issues i, generate_series(1, ${NOTES}::integer) as n where i.project_id = ${p.id} and i.iid = 500`.execute(
      db,
    )
    const { parent } = await db
      .selectFrom('namespaces as n')
      .innerJoin('projects as x', 'x.project_namespace_id', 'n.id')
      .select('n.parent_id as parent')
      .where('x.id', '=', p.id)
      .executeTakeFirstOrThrow()
    await sql`
      with made as (
        insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
        select 'project', ${parent}::bigint, '{}', 'other-' || n, 'other-' || n, 'other-' || n, 'other-' || n, 'private', now(), now()
        from generate_series(1, ${PROJECTS}::integer) as n returning id
      )
      insert into projects (project_namespace_id, last_activity_at) select id, now() from made`.execute(db)
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

describe.each(['for the values', 'for any values'] as const)('planned %s', (planning) => {
  const path = () => `/projects/${p.id}/issues/500`

  test('whether the caller takes part is found without reading the notes of the issue', async () => {
    const reading = () => p.developer.get(path())
    expect((await reading()).body.subscribed).toBe(false)
    expect(await rowsRead(own, ['notes'], planning, reading)).toBeLessThan(10)
  })

  test.each([
    ['a change', () => p.developer.put(path(), { title: `Title ${planning}` })],
    ['a note', () => p.maintainer.post(`${path()}/notes`, { body: 'Text' })],
  ])('%s looks at the project where it happens, and at no other', async (_, writing) => {
    expect(await rowsRead(own, ['projects'], planning, writing)).toBeLessThan(40)
  })
})

describe('how often a write waits for PostgreSQL, once to find the caller included', () => {
  const tripsOf = async (write: () => Promise<unknown>) => {
    const { writes, reads, plannedOnce } = own.running.services.connections
    // The first ones open connections and prepare statements.
    for (let done = 0; done < 3; done += 1) await write()
    return roundTrips([writes.pool, reads.pool, plannedOnce.pool], write)
  }
  let serial = 0
  const title = () => `Title ${(serial += 1)}`
  const issues = () => `/projects/${p.id}/issues`

  test('a new issue: for its number, and for what it became', async () => {
    expect(await tripsOf(() => p.developer.post(issues(), { title: title() }))).toBe(3)
  })

  test('a changed one: for the project, its labels, what it was, and what it became', async () => {
    await p.maintainer.post(`/projects/${p.id}/labels`, { name: 'bug', color: 'red' })
    const change = () =>
      p.developer.put(`${issues()}/500`, { title: title(), labels: serial % 2 === 0 ? 'bug' : '' })
    expect(await tripsOf(change)).toBeLessThanOrEqual(5)
  })

  test('a note that refers to an issue', async () => {
    const write = () => p.developer.post(`${issues()}/500/notes`, { body: 'As in #1' })
    expect(await tripsOf(write)).toBe(6)
  })
})
