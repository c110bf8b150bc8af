import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { levels } from '#platform/access/roles.ts'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { type Actor, openWorld, type World } from '#test/world.ts'

// How lists are read where many projects have many topics.

const PROJECTS = 15_000
const TOPICS = 5_000
/** Of each project. */
const EACH = 2

let own: World
let member: Actor

beforeAll(async () => {
  own = await openWorld()
  member = await own.user()
  const group = await own.group()
  await own.member(group.id, member, levels.developer)
  await fillTables(own, async (db) => {
    await sql`
    insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'group', null, array[100000 + n], 'g' || n, 'g' || n, 'g' || n, 'g' || n, 'private', now(), now()
    from generate_series(1, 500) as n`.execute(db)
    await sql`update namespaces set traversal_ids = array[id] where path ~ '^g[0-9]+$'`.execute(db)
    await sql`
    insert into namespaces (kind, parent_id, traversal_ids, path, full_path, name, full_name, visibility, created_at, updated_at)
    select 'project', g.id, array[g.id, 0], 'p' || n, g.path || '/p' || n, 'p' || n, 'p' || n,
      (array['private', 'private', 'public', 'internal'])[1 + n % 4]::visibility, now(), now()
    from generate_series(1, ${PROJECTS}::integer) as n join namespaces g
      on g.path = case when n <= 20 then ${group.fullPath} else 'g' || (1 + n % 500) end`.execute(db)
    await sql`update namespaces set traversal_ids = array[parent_id, id] where kind = 'project'`.execute(db)
    await sql`
    insert into projects (project_namespace_id, last_activity_at)
    select id, now() from namespaces where kind = 'project'`.execute(db)
    await sql`
    insert into topics (name, title, curated, created_at, updated_at)
    select 'topic-' || n, 'Topic', n % 2 = 0, now(), now() from generate_series(1, ${TOPICS}::integer) as n`.execute(
      db,
    )
    await sql`
    insert into project_topics (project_id, topic_id)
    select p.id, 1 + (p.id * 7 + n * 13) % ${TOPICS}::integer
    from projects p, generate_series(1, ${EACH}::integer) as n`.execute(db)
    await sql`
    update topics t set public_projects = c.public, internal_projects = c.internal, private_projects = c.private
    from (select pt.topic_id, count(*) filter (where n.visibility = 'public') as public,
        count(*) filter (where n.visibility = 'internal') as internal,
        count(*) filter (where n.visibility = 'private') as private
      from project_topics pt join projects p on p.id = pt.project_id
        join namespaces n on n.id = p.project_namespace_id group by 1) c
    where c.topic_id = t.id`.execute(db)
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

const plansFor = async (by: { get(path: string): Promise<{ status: number }> }, path: string) => {
  await by.get(path)
  return concerning(await plansOf(own, async () => expect((await by.get(path)).status).toBe(200)), 'topics')
}

test('whoever sees what is open alone, or everything, lists topics without a look at projects', async () => {
  for (const by of [own.anonymous, own.root]) {
    const plans = await plansFor(by, '/topics')
    expect(plans.length).toBeGreaterThan(0)
    for (const { scanned, indexes } of plans) {
      expect(scanned).toEqual(['topics'])
      expect(indexes.filter((name) => /project|namespaces/.test(name))).toEqual([])
    }
  }
})

test('for a member only the projects of their groups are counted', async () => {
  for (const path of ['/topics', '/topics/7', '/topics?search=topic-77']) {
    const plans = await plansFor(member, path)
    expect(plans.length).toBeGreaterThan(0)
    for (const { scanned, indexes } of plans) {
      expect(scanned.filter((table) => ['project_topics', 'projects', 'namespaces'].includes(table))).toEqual(
        [],
      )
      expect(indexes).toContain('namespaces_traversal_ids')
    }
  }
})

test('projects of a topic are found by its index', async () => {
  for (const path of [
    '/projects?topic=topic-7',
    '/projects?topic=topic-7,topic-20',
    `/projects?topic=${Array.from({ length: 20 }, (_, n) => `topic-${n + 1}`).join(',')}`,
    '/projects?topic_id=7',
  ]) {
    for (const { sql: text, scanned, indexes } of await plansFor(own.anonymous, path)) {
      expect(scanned.filter((table) => ['project_topics', 'projects', 'topics'].includes(table))).toEqual([])
      // The other statement reads the projects of the page by their ids.
      if (text.includes('candidates')) expect(indexes).toContain('project_topics_topic')
    }
  }
})
