import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillTables, plansOf, vacuum } from '#test/plans.ts'
import { type Actor, openWorld, type World } from '#test/world.ts'

const GROUPS = 40
/** In each group. */
const PROJECTS = 50

let own: World
/** A member of every second group, and of every third project. */
let member: Actor
let stranger: Actor
let group: number

beforeAll(async () => {
  own = await openWorld()
  member = await own.user()
  stranger = await own.user()
  group = (await own.group({ visibility: 'public' })).id
  const { db } = own
  for (const table of ['namespaces', 'projects', 'members', 'shares', 'issues']) {
    await sql`alter table ${sql.table(table)} set (autovacuum_enabled = false)`.execute(db)
  }
  // What the statistics say now misleads PostgreSQL once the tables are full.
  await sql`analyze`.execute(db)
  await fill()
}, 180_000)
afterAll(() => own.running.stop())

async function fill(): Promise<void> {
  await fillTables(own, async (db) => {
    await sql`
    insert into namespaces (kind, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'group', '{}', 'g' || n, 'g' || n, 'G' || n, 'G' || n, 'private', now(), now()
    from generate_series(1, ${GROUPS}::integer) as n`.execute(db)
    await sql`update namespaces set traversal_ids = array[id] where traversal_ids = '{}'`.execute(db)
    await sql`
    insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'project', g.id, '{}', 'p' || n, g.path || '/p' || n, 'P' || n, g.name || ' / P' || n,
      (case when n % 5 = 0 then 'public' else 'private' end)::visibility,
      now() - n * g.id * interval '1 second', now() - n * interval '1 minute'
    from namespaces g, generate_series(1, ${PROJECTS}::integer) as n where g.kind = 'group'`.execute(db)
    await sql`update namespaces p set traversal_ids = g.traversal_ids || p.id from namespaces g
    where g.id = p.parent_id and p.traversal_ids = '{}'`.execute(db)
    await sql`
    insert into projects (project_namespace_id, star_count, last_activity_at)
    select id, id % 7, updated_at from namespaces n
    where kind = 'project' and not exists (select 1 from projects p where p.project_namespace_id = n.id)`.execute(
      db,
    )
    await sql`
    insert into members (namespace_id, user_id, access_level, created_at, updated_at)
    select id, ${member.id}, 30, now(), now() from namespaces
    where kind = 'group' and id % 2 = 0 or kind = 'project' and id % 3 = 0`.execute(db)
  })
}

const orders = ['created_at', 'updated_at', 'name', 'path', 'last_activity_at', 'star_count', 'id']

const lists = [
  ...orders.map((order) => `/projects?order_by=${order}`),
  '/projects?membership=true&sort=asc',
  '/projects?min_access_level=30',
  '/projects?starred=true',
  '/projects?archived=false',
]

/** No list may read one of these from start to end. */
const large = ['namespaces', 'projects', 'members', 'shares', 'issues']

describe.each(['misleading', 'fresh'])('with %s statistics', (statistics) => {
  beforeAll(async () => {
    if (statistics === 'fresh') await vacuum(own)
  })

  test.each([...lists, '/groups/GROUP/projects', '/groups/GROUP/projects?include_subgroups=true'])(
    '%s reads indexes, whoever asks',
    async (list) => {
      const path = list.replace('GROUP', String(group))
      for (const by of [member, stranger, own.root, own.anonymous]) {
        const plans = await plansOf(own, () => by.get(path))
        expect(
          plans.map(({ sql: text, scanned }) => [text, scanned.filter((name) => large.includes(name))]),
        ).toEqual(plans.map(({ sql: text }) => [text, []]))
      }
    },
  )

  test('a page costs three statements, whatever its size, and so does the page after the last', async () => {
    for (const list of [
      '/projects?per_page=5',
      '/projects?per_page=100',
      '/projects?page=300&membership=true',
    ]) {
      expect((await own.statements(() => member.get(list))).length).toBeLessThanOrEqual(3)
    }
  })
})

test('everybody gets what they may see, in pages that neither overlap nor leave anything out', async () => {
  const seen = async (by: { get: Actor['get'] }, list: string) => {
    const ids: number[] = []
    for (let page = 1; ; page += 1) {
      const { body, headers } = await by.get(
        `${list}${list.includes('?') ? '&' : '?'}per_page=100&page=${page}`,
      )
      ids.push(...body.map(({ id }: { id: number }) => id))
      if (headers.get('x-next-page') === '') return { ids, total: Number(headers.get('x-total')) }
    }
  }
  const { rows } = await sql<{ id: number; open: boolean; held: boolean }>`
    select p.id, n.visibility = 'public' as open, exists (select 1 from members m
      where m.user_id = ${member.id} and m.namespace_id = any(n.traversal_ids)) as held
    from projects p join namespaces n on n.id = p.project_namespace_id order by n.created_at desc, n.id desc`.execute(
    own.db,
  )
  const idsOf = (keep: (row: (typeof rows)[number]) => boolean) => rows.filter(keep).map(({ id }) => id)
  const expected: [{ get: Actor['get'] }, string, number[]][] = [
    [own.root, '/projects', idsOf(() => true)],
    [member, '/projects', idsOf(({ open, held }) => open || held)],
    [member, '/projects?membership=true', idsOf(({ held }) => held)],
    [stranger, '/projects', idsOf(({ open }) => open)],
    [stranger, '/projects?membership=true', []],
  ]
  for (const [by, list, ids] of expected) expect(await seen(by, list)).toEqual({ ids, total: ids.length })
})

describe('people who may see more projects than are counted', () => {
  beforeAll(async () => {
    await sql`
      insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
      select 'project', g.id, array[g.id], 'q' || n, g.path || '/q' || n, 'Q' || n, g.name || ' / Q' || n,
        'public', now() - n * interval '7 seconds', now()
      from namespaces g, generate_series(1, 10100) as n where g.id = (
        select max(m.namespace_id) from members m join namespaces x on x.id = m.namespace_id
          where x.kind = 'group' and m.user_id = ${member.id})`.execute(own.db)
    await sql`update namespaces set traversal_ids = array[parent_id, id] where path like 'q%'`.execute(own.db)
    await sql`insert into projects (project_namespace_id, last_activity_at)
      select id, updated_at from namespaces where path like 'q%'`.execute(own.db)
  }, 180_000)

  const newest = async (where: ReturnType<typeof sql>, offset: number) => {
    const { rows } = await sql<{ id: number }>`
      select p.id from projects p join namespaces n on n.id = p.project_namespace_id where ${where}
      order by n.created_at desc, n.id desc limit 20 offset ${offset}`.execute(own.db)
    return rows.map(({ id }) => id)
  }
  const idsOf = async (by: Actor, list: string) => {
    const { status, body, headers } = await by.get(list)
    expect({ list, status, total: headers.get('x-total') }).toEqual({ list, status: 200, total: null })
    return body.map(({ id }: { id: number }) => id)
  }

  test('get pages along the index of the order, without a total', async () => {
    const open = sql`n.visibility = 'public'`
    const held = sql`exists (select 1 from members m where m.user_id = ${member.id}
      and m.namespace_id = any(n.traversal_ids))`
    for (const page of [1, 2, 40]) {
      const offset = (page - 1) * 20
      expect(await idsOf(stranger, `/projects?page=${page}`)).toEqual(await newest(open, offset))
      const mine = `/projects?membership=true&page=${page}`
      expect(await idsOf(member, mine)).toEqual(await newest(held, offset))
    }
  })

  test('get pages by keys, and filters narrow what they see', async () => {
    const { rows } = await sql<{ id: number }>`select p.id from projects p
      join namespaces n on n.id = p.project_namespace_id where n.visibility = 'public' order by p.id limit 25`.execute(
      own.db,
    )
    const keys = '/projects?pagination=keyset&order_by=id&sort=asc'
    const first = await stranger.get(keys)
    expect(first.body.map(({ id }: { id: number }) => id)).toEqual(rows.slice(0, 20).map(({ id }) => id))
    const rest = await stranger.get(`${keys}&id_after=${rows[19]?.id}&per_page=5`)
    expect(rest.body.map(({ id }: { id: number }) => id)).toEqual(rows.slice(20).map(({ id }) => id))
    const found = await stranger.get('/projects?search=q10077')
    expect([found.body.length, found.headers.get('x-total')]).toEqual([1, '1'])
    const none = await stranger.get('/projects?owned=true')
    expect([none.body, none.headers.get('x-total')]).toEqual([[], '0'])
  })
})
