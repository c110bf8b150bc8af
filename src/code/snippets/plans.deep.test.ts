import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Db } from '#platform/db/pool.ts'
import { createProject } from '#tenancy/projects/create-project.ts'
import type { Client } from '#test/client.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

const PROJECTS = 20

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  const group = await own.group({ visibility: 'public' })
  await own.write(async (tx) => {
    for (let made = 1; made <= PROJECTS; made += 1) {
      const path = `project-${made}`
      const visibility = made % 3 === 0 ? 'public' : 'private'
      await createProject({ ...tx, author: null }, { name: path, path, visibility, parentId: group.id })
    }
  })
  await fillTables(own, fill)
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

/** 30,000 snippets of persons, and 200 in each project. Some of both are the developer's. */
async function fill(db: Db): Promise<void> {
  const columns = sql`(project_id, author_id, title, visibility, file_paths, created_at)`
  const author = sql`case when n % 100 = 0 then ${p.developer.id}::bigint else 1 end`
  const rest = sql`'Snippet ' || n, (array['private', 'internal', 'public'])[1 + n % 3]::visibility, '{a}',
    now() - n * interval '1 minute'`
  const noteables = (namespace: ReturnType<typeof sql>) => sql`
    insert into noteables (id, kind, namespace_id, updated_at)
    select made.id, 'snippet', ${namespace}, now() from made`
  await sql`
    with made as (
      insert into snippets ${columns} select null, ${author}, ${rest} from generate_series(1, 30000) as n
      returning id, author_id)
    ${noteables(sql`(select x.id from namespaces x where x.owner_id = made.author_id and x.kind = 'user')`)}`.execute(
    db,
  )
  await sql`
    with made as (
      insert into snippets ${columns} select x.id, ${author}, ${rest} from projects x, generate_series(1, 200) as n
      returning id, project_id)
    ${noteables(sql`(select x.project_namespace_id from projects x where x.id = made.project_id)`)}`.execute(
    db,
  )
}

/**
 * Expects that a list reads its page in the order of these indexes, and never sorts snippets for it. A total is bounded, so for
 * that PostgreSQL may read whatever it likes.
 */
async function expectIndexed(by: Client, path: string, ...indexes: string[]): Promise<void> {
  const { status, body } = await by.get(path)
  expect([path, status, body.length > 0]).toEqual([path, 200, true])
  const plans = concerning(await plansOf(own, () => by.get(path)), 'snippets')
  expect(plans).not.toEqual([])
  const used = new Set(plans.flatMap((plan) => plan.indexes))
  expect({ path, missing: indexes.filter((name) => !used.has(name)) }).toEqual({ path, missing: [] })
  const pages = plans.filter(({ sql: text }) => !text.includes('= any('))
  const sorts = pages.flatMap((plan) => plan.sorts.filter((key) => key.startsWith('s.')))
  expect({ path, sorts }).toEqual({ path, sorts: [] })
}

test('the snippets of a project are read in the order of an index', async () => {
  for (const by of [p.guest, p.stranger, own.root]) {
    await expectIndexed(own.root, `/projects/${p.id}/snippets`, 'snippets_project')
    if (by !== p.stranger) await expectIndexed(by, `/projects/${p.id}/snippets?page=5`, 'snippets_project')
  }
})

test("one's own, and public ones, are read in the order of an index", async () => {
  await expectIndexed(p.developer, '/snippets', 'snippets_author')
  for (const by of [own.anonymous, p.developer])
    for (const page of [1, 60]) await expectIndexed(by, `/snippets/public?page=${page}`, 'snippets_public')
})

test('all that somebody may see are put together from a few indexes', async () => {
  const parts = ['snippets_public', 'snippets_internal', 'snippets_author', 'snippets_in_projects']
  for (const query of ['', '?page=60', '?created_after=2020-01-01'])
    await expectIndexed(p.developer, `/snippets/all${query}`, ...parts)
  await expectIndexed(own.root, '/snippets/all', 'snippets_created_at')
})

test('a list takes as many statements for 100 snippets as for one', async () => {
  for (const list of ['/snippets/all', '/snippets/public', '/snippets', `/projects/${p.id}/snippets`]) {
    const sent = async (size: number) => {
      await p.developer.get(`${list}?per_page=${size}`)
      return (await own.sent(() => p.developer.get(`${list}?per_page=${size}`))).length
    }
    expect([list, await sent(100)]).toEqual([list, await sent(1)])
  }
})
