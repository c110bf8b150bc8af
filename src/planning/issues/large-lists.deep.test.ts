import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillLarge, type LargeData } from '../../../bench/large-data.ts'
import { Client } from '#test/client.ts'
import { type Planning, plansOf, rowsRead, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// What lists cost, in rows of issues and their noteables that PostgreSQL looks at: with statistics from before most issues came, and with fresh
// ones. Nobody but administrators sees most of the issues.

const ISSUES = 9_000
const PROJECTS = 300

let own: World
let made: LargeData
let member: Client
/** How many issues the member sees, and how many of them are in the large project. */
let visible: number
let inLarge: number

beforeAll(async () => {
  own = await openWorld()
  const client = await own.running.services.pool.connect()
  const sizes = { issues: ISSUES, projects: PROJECTS, groups: 40, memberships: 20, people: 10, stale: true }
  made = await fillLarge(client, sizes)
  client.release(true)
  member = new Client(own.url, { 'private-token': made.member.token })
  const total = async (path: string) => Number((await member.get(path)).headers.get('x-total'))
  visible = await total('/issues?scope=all')
  inLarge = await total(`/projects/${made.largeProject}/issues`)
}, 180_000)
afterAll(() => own.running.stop())

/**
 * A list, and how many rows it may look at; a page of 20 itself is read with the one row after it, and once again with the
 * noteable of each.
 */
type Case = readonly [path: () => string, atMost: () => number]

const PAGE = 61
/** So many hours ago. */
const since = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString()
const project = (rest: string) => () => `/projects/${made.largeProject}/issues?${rest}`
const group = (rest: string) => () => `/groups/${made.memberGroup}/issues?${rest}`
const all = (rest: string) => () => `/issues?scope=all&${rest}`

/** The first of all issues, which are looked at before the projects of the member are asked. */
const LEADING = 300
/** In several projects: all visible issues are counted, every project is asked for its first, and 21 of them for 21. */
const merged = () => visible + PROJECTS + 21 * 21 + PAGE

const cases: readonly Case[] = [
  [project(''), () => inLarge + PAGE],
  [project('state=opened'), () => inLarge + 2 * PAGE],
  [project('order_by=due_date&sort=desc'), () => inLarge + 3 * PAGE],
  [project('order_by=weight&sort=asc&state=closed'), () => inLarge + 3 * PAGE],
  [project('order_by=popularity'), () => inLarge + PAGE],
  [project('order_by=updated_at'), () => inLarge + 2 * PAGE],
  [project('order_by=updated_at&sort=asc&state=opened'), () => inLarge + 3 * PAGE],
  [project(`updated_after=${since(60)}`), () => 400],
  [project(`updated_after=${since(60)}&order_by=updated_at`), () => 400],
  [project(`updated_after=${since(60)}&author_username=nobody`), () => 0],
  [project('updated_before=2001-01-01'), () => 1],
  [project('updated_after=2001-01-01&order_by=updated_at&sort=asc'), () => 3 * inLarge + 2 * PAGE],
  [project('order_by=priority'), () => 2 * inLarge + PAGE],
  [project('page=50'), () => 2 * inLarge],
  [project('labels=nothing'), () => 0],
  [project('labels=label-10'), () => PAGE],
  [project('labels=label-1,label-5'), () => inLarge / 20],
  [project('milestone=nothing'), () => 0],
  [project('milestone=milestone-3'), () => inLarge / 12 + PAGE],
  [project('author_username=nobody'), () => 0],
  [project('assignee_username=large-stranger'), () => PAGE],
  [project('confidential=true'), () => inLarge + PAGE],
  [group(''), () => inLarge + 240],
  [group('order_by=due_date'), () => inLarge + 1_000],
  [group('order_by=updated_at'), () => inLarge + 400],
  [group(`updated_after=${since(60)}`), () => 400],
  [group('labels=label-2'), () => inLarge / 10],
  [all(''), () => merged() + LEADING],
  [all('state=opened'), () => merged() + LEADING],
  [all('order_by=title'), merged],
  [all('order_by=updated_at'), () => merged() + 200],
  [all('order_by=updated_at&page=30'), () => merged() + ISSUES],
  [all(`updated_after=${since(60)}`), () => PROJECTS + 400],
  [all(`updated_after=${since(60)}&order_by=updated_at`), () => PROJECTS + 400],
  [all('order_by=due_date&sort=desc'), () => merged() + 3 * (PROJECTS + 21 * 21)],
  [all('labels=nothing'), () => 0],
  [all('author_username=nobody'), () => 0],
  [() => '/issues', () => 1_000],
  [() => '/issues?scope=assigned_to_me', () => 1_000],
  // Half of the issues have one label, a tenth another, and few the rest.
  [() => `/projects/${made.largeProject}/labels?with_counts=true`, () => (inLarge * 3) / 4],
]

const expectFew = (planning: Planning) => async (path: () => string, atMost: () => number) => {
  const rows = await rowsRead(own, ['issues', 'noteables'], planning, () => member.get(path()))
  expect({ path: path(), rows }).toEqual({ path: path(), rows: expect.toSatisfy((read) => read <= atMost()) })
}

describe('with statistics from before most issues came, a list looks at few rows', () => {
  test.each(cases)('for its values: %s', expectFew('for the values'))
  test.each(cases)('for any values: %s', expectFew('for any values'))
})

describe('with fresh statistics, a list looks at few rows', () => {
  beforeAll(() => vacuum(own), 60_000)

  test.each(cases)('for its values: %s', expectFew('for the values'))
  test.each(cases)('for any values: %s', expectFew('for any values'))

  test('every index of issues and noteables is one that something reads', async () => {
    const root = own.root
    const orders = [
      'created_at',
      'updated_at',
      'title',
      'weight',
      'due_date',
      'relative_position',
      'popularity',
      'id',
    ]
    const requests = [
      ...orders.map((order) => [member, project(`order_by=${order}&state=opened`)()] as const),
      [root, '/issues?scope=all&page=30'],
      [root, '/issues?scope=all&page=30&order_by=updated_at'],
      [member, '/issues'],
      [member, project('iids[]=3')()],
      [member, project('milestone=milestone-3')()],
      [member, project('closed_by_id=1')()],
    ] as const
    const used = new Set<string>()
    for (const [by, path] of requests) {
      for (const plan of await plansOf(own, () => by.get(path)))
        plan.indexes.forEach((name) => used.add(name))
    }
    const { rows } = await sql<{ name: string }>`
      select indexrelid::regclass::text as name from pg_index
      where indrelid in ('issues'::regclass, 'noteables'::regclass)`.execute(own.db)
    // These find issues that moved to one that is deleted, and, for the daily job, those that are due.
    const unused = rows.map(({ name }) => name).filter((name) => !used.has(name))
    expect(unused).toEqual(['issues_moved_to', 'issues_due'])
  })
})
