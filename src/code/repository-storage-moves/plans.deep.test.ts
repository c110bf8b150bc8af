import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { SECOND } from './test-support.ts'

// How moves, and projects by their storage, are read in an instance with many of them, a few of which are elsewhere.

const PROJECTS = 5_000
/** Of each project. */
const MOVES = 4

const isLarge = (table: string) =>
  ['repository_storage_moves', 'repositories', 'projects', 'namespaces'].includes(table)

let own: World
let p: Awaited<ReturnType<World['project']>>
let snippet: number

beforeAll(async () => {
  own = await openWorld(undefined, 'premium')
  p = await own.project()
  const some = { title: 'Some', visibility: 'private', file_name: 'a.txt', content: 'Text' }
  snippet = (await own.root.post('/snippets', some)).body.id
  await fillTables(own, async (db) => {
    await sql`
      insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
      select 'project', g.id, '{}', 'm' || n, g.full_path || '/m' || n, 'M' || n, g.name || ' / M' || n, 'private', now(), now()
      from namespaces g, generate_series(1, ${PROJECTS}::integer) as n where g.id = ${p.groupId}`.execute(db)
    await sql`
      update namespaces m set traversal_ids = g.traversal_ids || m.id from namespaces g
      where g.id = m.parent_id and m.traversal_ids = '{}'`.execute(db)
    await sql`
      insert into projects (project_namespace_id, last_activity_at)
      select id, updated_at from namespaces n
      where kind = 'project' and not exists (select 1 from projects x where x.project_namespace_id = n.id)`.execute(
      db,
    )
    await sql`
      insert into repositories (kind, project_id, storage, relative_path, created_at)
      select 'project', id, case when id % 100 = 0 then ${SECOND} else 'default' end,
        '00/00/' || lpad(id::text, 60, '0') || '.git', now()
      from projects x where not exists (select from repositories r where r.project_id = x.id)`.execute(db)
    const owners = [sql`(id, null, null)`, sql`(null, ${p.groupId}, null)`, sql`(null, null, ${snippet})`]
    for (const owner of owners) {
      await sql`
        insert into repository_storage_moves (project_id, group_id, snippet_id, state, source_storage_name,
          destination_storage_name, created_at, updated_at)
        select o.project_id::bigint, o.group_id::bigint, o.snippet_id::bigint,
          case when id % 1000 = 0 then 'failed' else 'finished' end::repository_storage_move_state,
          'default', ${SECOND}, now(), now()
        from projects x, generate_series(1, ${MOVES}::integer) as n,
          lateral (values ${owner}) as o (project_id, group_id, snippet_id)`.execute(db)
    }
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

async function expectIndexes(path: string, table: string): Promise<void> {
  const work = async () => expect((await own.root.get(path)).status).toBe(200)
  await work()
  const plans = concerning(await plansOf(own, work), table)
  expect(plans.length).toBeGreaterThan(0)
  for (const { scanned, sql: text } of plans) expect([text, scanned.filter(isLarge)]).toEqual([text, []])
}

test.each([
  '/project_repository_storage_moves',
  '/project_repository_storage_moves?page=50',
  '/group_repository_storage_moves',
  '/snippet_repository_storage_moves',
  '/projects/PROJECT/repository_storage_moves',
  '/groups/GROUP/repository_storage_moves',
  '/snippets/SNIPPET/repository_storage_moves',
])('GET %s reads no table from start to end', async (path) => {
  const named = path
    .replace('PROJECT', String(p.id))
    .replace('GROUP', String(p.groupId))
    .replace('SNIPPET', String(snippet))
  await expectIndexes(named, 'repository_storage_moves')
})

test.each([SECOND, 'none', `${SECOND}&order_by=id&sort=asc`])(
  'GET /projects?repository_storage=%s reads no table from start to end',
  (query) => expectIndexes(`/projects?repository_storage=${query}`, 'repositories'),
)

test.each(['default', 'default&page=100', 'default&order_by=id'])(
  'GET /projects?repository_storage=%s, which is almost all of them, reads the index of those elsewhere',
  async (query) => {
    const work = () => own.root.get(`/projects?repository_storage=${query}`)
    expect((await work()).status).toBe(200)
    const plans = concerning(await plansOf(own, work), 'rs')
    expect(plans.length).toBeGreaterThan(0)
    for (const { scanned } of plans) expect(scanned).not.toContain('repositories')
  },
)

test('what metrics and the command line count of moves is read from the index of those that are not finished', async () => {
  const { countUnfinished } = await import('./status.ts')
  const plans = concerning(await plansOf(own, () => countUnfinished(own.db)), 'repository_storage_moves')
  for (const { scanned, indexes } of plans) {
    expect(scanned.filter(isLarge)).toEqual([])
    expect(indexes).toContain('repository_storage_moves_unfinished')
  }
})
