import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { concerning, fillTables, plansOf, vacuum } from '#test/plans.ts'
import { type Actor, openWorld, type Place, type World } from '#test/world.ts'
import { made, newBoard, newLabel, newMilestone } from './test-support.ts'

// How boards and lists are found among 200,000 of each.

const BOARDS = 200_000
const PLACES = 2_000

let own: World
let project: Place
let owner: Actor
let base = ''
let path = ''
let lists: number[] = []
let milestoneId = 0

beforeAll(async () => {
  own = await openWorld()
  project = await own.project({ visibility: 'public' })
  owner = project.owner
  base = `/projects/${project.id}`
  const milestone = await newMilestone(owner, base)
  milestoneId = milestone.id
  const board = await newBoard(owner, base, { milestone_id: milestone.id, labels: 'scope' })
  path = board.path
  for (const list of [
    { label_id: (await newLabel(owner, base)).id },
    { milestone_id: milestone.id },
    { assignee_id: owner.id },
  ])
    lists = [...lists, (await made(owner, `${path}/lists`, list)).id]
  await fillTables(own, async (db) => {
    await sql`insert into boards (namespace_id, name, milestone_id, assignee_id, created_at, updated_at)
      select 1000000 + n % ${PLACES}::integer, 'Board', 1000000 + n, 1000000 + n, now(), now()
      from generate_series(1, ${BOARDS}::integer) as n`.execute(db)
    await sql`insert into board_labels (board_id, label_id)
      select id, 1000000 + id from boards where namespace_id >= 1000000`.execute(db)
    await sql`insert into board_lists (board_id, label_id, milestone_id, assignee_id, position, created_at, updated_at)
      select id, case when id % 3 = 0 then 1000000 + id end, case when id % 3 = 1 then 1000000 + id end,
        case when id % 3 = 2 then 1000000 + id end, 0, now(), now() from boards where namespace_id >= 1000000`.execute(
      db,
    )
  })
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

const tables = ['boards', 'board_lists', 'board_labels']

/** Expects of each statement of some requests that it looks boards, lists and labels of boards up by an index. */
async function expectIndexes(work: () => Promise<{ status: number }>, status: number): Promise<void> {
  const plans = await plansOf(own, async () => expect((await work()).status).toBe(status))
  const about = tables.flatMap((table) => concerning(plans, table))
  expect(about.length).toBeGreaterThan(0)
  for (const { sql: text, scanned } of about)
    expect([text, scanned.filter((table) => tables.includes(table))]).toEqual([text, []])
}

test.each([
  ['the boards of a project', () => `${base}/boards?per_page=100`],
  ['a board', () => path],
  ['the lists of a board', () => `${path}/lists`],
  ['a list', () => `${path}/lists/${lists[0]}`],
])('%s', async (_, at) => {
  await expectIndexes(() => project.guest.get(at()), 200)
})

test('writes to a board and its lists', async () => {
  await expectIndexes(() => owner.post(`${base}/boards`, { name: 'x', milestone_id: milestoneId }), 201)
  await expectIndexes(() => owner.put(path, { name: 'y', labels: 'scope,more' }), 200)
  await expectIndexes(() => owner.post(`${path}/lists`, { assignee_id: project.guest.id }), 201)
  await expectIndexes(() => owner.put(`${path}/lists/${lists[0]}`, { position: 2 }), 200)
  await expectIndexes(() => owner.delete(`${path}/lists/${lists[0]}`), 204)
})

test('promotions, moves and deletions of what boards refer to', async () => {
  const label = await newLabel(owner, base, 'promoted')
  await made(owner, `${path}/lists`, { label_id: label.id })
  const { body } = await owner.get(base)
  await own.memberAtLeast(body.namespace.id, owner, 50)
  await expectIndexes(() => owner.put(`${base}/labels/promoted/promote`), 200)
  await expectIndexes(() => owner.post(`${base}/milestones/${milestoneId}/promote`), 200)
  const group = await own.group()
  await own.memberAtLeast(group.id, owner, 50)
  await expectIndexes(() => owner.put(`${base}/transfer`, { namespace: group.id }), 200)
  await expectIndexes(() => owner.delete(path), 204)
})
