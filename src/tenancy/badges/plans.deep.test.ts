import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '#test/client.ts'
import { type Plan, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// How badges and what replaces their placeholders are found where there are many others, and many projects in a group.

/** In another group, which came first. */
const BEFORE = 4_000
/** In the group. */
const PROJECTS = 2_000
/** In each group and project. */
const BADGES = 5

let own: World
let p: Awaited<ReturnType<World['project']>>
/** Somebody who sees the group and none of its projects. */
let stranger: Client

beforeAll(async () => {
  own = await openWorld()
  const before = await own.project()
  p = await own.project()
  stranger = await own.user()
  const { db } = own
  await sql`
    insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'project', case when n <= ${BEFORE}::integer then ${before.groupId}::bigint else ${p.groupId}::bigint end, array[0], 'p' || n, ${p.fullPath} || n, 'p' || n, 'p' || n, 'private', now(), now()
    from generate_series(1, ${BEFORE + PROJECTS}::integer) as n`.execute(db)
  await sql`update namespaces set traversal_ids = array[parent_id, id] where path ~ '^p[0-9]+$'`.execute(db)
  await sql`
    insert into projects (project_namespace_id, last_activity_at)
    select id, now() from namespaces where path ~ '^p[0-9]+$'`.execute(db)
  await sql`
    insert into repositories (kind, project_id, storage, relative_path, created_at)
    select 'project', id, 'default', substr(h, 1, 2) || '/' || substr(h, 3, 2) || '/' || substr(h, 5, 60) || '.git', now()
    from projects, encode(sha256(id::text::bytea), 'hex') as h`.execute(db)
  await sql`
    insert into badges (namespace_id, name, link_url, image_url, created_at, updated_at)
    select id, 'badge ' || n, 'https://x.example/%{commit_sha}', 'https://x.example/', now(), now()
    from namespaces, generate_series(1, ${BADGES}::integer) as n where kind <> 'user'`.execute(db)
  await own.root.put(`/groups/${p.groupId}`, { visibility: 'public' })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

const large = ['badges', 'projects', 'namespaces', 'repositories']

const read = ['badges', 'repositories']

/** The tables that an answer reads from start to end, and the indexes that it uses. */
async function accessOf(by: Client, path: string, count: number) {
  const plans = await plansOf(own, async () => {
    const { status, headers } = await by.get(path)
    expect([status, headers.get('x-total')]).toEqual([200, String(count)])
  })
  const found = plans.filter((plan) =>
    read.some((table) => plan.sql.includes(` ${table} `) || plan.sql.includes(`"${table}"`)),
  )
  const of = (pick: (plan: Plan) => readonly string[]) => [...new Set(found.flatMap(pick))]
  return { scanned: of(({ scanned }) => scanned), indexes: of(({ indexes }) => indexes) }
}

test.each([
  ['the badges of a project', () => `/projects/${p.id}/badges`, 2 * BADGES],
  ['those of one name', () => `/projects/${p.id}/badges?name=badge%201`, 2],
] as const)('%s are found by indexes', async (_, path, count) => {
  for (const by of [own.root, p.guest]) {
    const { scanned, indexes } = await accessOf(by, path(), count)
    expect(scanned.filter((table) => large.includes(table))).toEqual([])
    expect(indexes).toEqual(expect.arrayContaining(['badges_namespace', 'repositories_project']))
  }
})

test('the first project of a group is found among those of the group, also by those who see none', async () => {
  for (const by of [own.root, p.guest, stranger]) {
    const { scanned, indexes } = await accessOf(by, `/groups/${p.groupId}/badges`, BADGES)
    expect(scanned.filter((table) => large.includes(table))).toEqual([])
    expect(indexes).toEqual(expect.arrayContaining(['badges_namespace', 'namespaces_parent']))
  }
})
