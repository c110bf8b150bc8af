import { escapeIdentifier, type Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectations } from '#test/access/expected-routes.ts'
import { sendTo } from '#test/access/licensed.ts'
import { nameOf } from '#test/access/requests.ts'
import type { Asking, RouteExpectation } from '#test/access/route-expectation.ts'
import type { Client } from '#test/client.ts'
import { copyRows, multiply } from '#test/multiply.ts'
import { mostRead } from '#test/plans.ts'
import { createScratchDatabase, type ScratchDatabase } from '#test/scratch-database.ts'
import { type Statement, w } from '#test/world.ts'

// What every route that reads looks at when all tables are large because of others. The requests are those of the permission matrix.

/** The rows of others in each table. */
const OTHERS = 5_000
/** More than anything in one place has, and than there are groups. */
const MANY = OTHERS / 4

/** These read what others have, because that is what they are about. */
const aboutAll: Readonly<Record<string, readonly string[]>> = {
  'lists of all rows, which are counted up to the limit of totals': [
    'GET /applications',
    'GET /audit_events',
    'GET /broadcast_messages',
    'GET /deploy_keys',
    'GET /deploy_tokens',
    'GET /group_repository_storage_moves',
    'GET /hooks',
    'GET /project_repository_storage_moves',
    'GET /runners/all',
    'GET /snippet_repository_storage_moves',
    'GET /snippets/all',
    'GET /snippets/public',
  ],
  'lists in all projects that somebody can see: docs/decisions/0017-lists-of-issues.md': [
    'GET /issues',
    'GET /issues_statistics',
    'GET /merge_requests',
    'GET /search',
  ],
  'runners of the instance serve everybody': ['GET /groups/:id/runners', 'GET /projects/:id/runners'],
  'an order by what the viewer can see': ['GET /topics'],
  'numbers of everything; those of licenses are kept for a day': [
    'GET /application/statistics',
    'GET /license/:id',
    'GET /licenses',
  ],
}

const project = await w.project()
const group = await w.group()
const routes = w.running.app.declaredRoutes.filter(
  ({ access, method }) => !access.outside && method === 'GET',
)

/** A request that succeeds, and who sends it: somebody who has to be asked for their rights, if such a person may. */
async function asking(expectation: RouteExpectation): Promise<{ request: Asking; by: Client }> {
  const by = expectation.lowest === 'administrator' ? w.root : undefined
  if (expectation.in === 'instance') {
    return { request: await expectation.request(w), by: by ?? project.developer }
  }
  if (expectation.in === 'group') {
    return { request: await expectation.request(group, w), by: by ?? group.owner }
  }
  return { request: await expectation.request(project, w), by: by ?? project.owner }
}

/** The statements of all routes, with the names of those that send them. */
const sent = new Map<string, { readonly statement: Statement; readonly routes: string[] }>()
let added: ReadonlyMap<string, number>
/** Groups and projects that earlier files have made in this database: everybody sees the public ones. */
let places: number
/** Rows that they have left in each table: somebody in this file may be whose they are. */
const left = new Map<string, number>()
let crowded: ScratchDatabase

/** Those who are invited make rights more to ask for. */
async function invite(): Promise<void> {
  const [invited, inviting] = [await w.group(), await w.group()]
  await w.root.post(`/projects/${project.id}/share`, { group_id: invited.id, group_access: 30 })
  await w.root.post(`/groups/${group.id}/share`, { group_id: invited.id, group_access: 30 })
  await w.root.post(`/groups/${inviting.id}/share`, { group_id: group.id, group_access: 30 })
}

async function tables(pool: Pool): Promise<readonly { name: string }[]> {
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = 'public' and c.relkind in ('r', 'p') and not c.relispartition`,
  )
  return rows
}

async function countOf(pool: Pool, table: string): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(`select count(*) from ${escapeIdentifier(table)}`)
  return Number(rows[0]?.count)
}

beforeAll(async () => {
  await invite()
  for (const route of routes) {
    const name = nameOf(route)
    const expectation = expectations.get(name)
    if (expectation === undefined) throw new Error(`Nothing is expected of ${name}`)
    const { request, by } = await asking(expectation)
    const statements = await w.sent(async () => {
      const { status } = await sendTo(route, by, request)
      if (status !== expectation.status) throw new Error(`${name} was answered with ${status}`)
    })
    for (const statement of statements) {
      const known = sent.get(statement.sql) ?? { statement, routes: [] }
      known.routes.push(name)
      sent.set(statement.sql, known)
    }
  }
  const { count } = await w.db
    .selectFrom('namespaces')
    .select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  places = Number(count)
  crowded = await createScratchDatabase()
  await copyRows({ connectionString: w.environment['FORGELET_DATABASE_URL'] ?? '' }, crowded.address)
  for (const { name } of await tables(crowded.pool)) left.set(name, await countOf(crowded.pool, name))
  added = await multiply(crowded.pool, OTHERS)
  // Every route is asked first, on cold code and beside the starts of other workers: 20 seconds on two cores.
}, 600_000)
afterAll(() => crowded[Symbol.asyncDispose]())

test('others have many rows of what requests read', () => {
  const many = [...added].filter(([, rows]) => rows >= OTHERS / 2).map(([name]) => name)
  expect(many).toEqual(
    expect.arrayContaining(['users', 'members', 'shares', 'issues', 'notes', 'merge_requests', 'events']),
  )
  expect(many.length).toBeGreaterThan(60)
})

test('no route reads the rows of others, but those that are about all of them', async () => {
  const expected = new Set(Object.values(aboutAll).flat())
  const found = new Set<string>()
  for (const { statement, routes } of sent.values()) {
    const { rows, from } = await mostRead(crowded.pool, statement)
    if (rows <= MANY + places + (left.get(from) ?? 0)) continue
    for (const name of routes) found.add(name)
    const wrong = routes
      .filter((name) => !expected.has(name))
      .map((name) => `${name}: ${rows} rows of ${from}`)
    expect({ wrong, by: statement.sql }).toEqual({ wrong: [], by: statement.sql })
  }
  expect(found).toContain('GET /application/statistics')
})
