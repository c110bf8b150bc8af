import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject } from '#tenancy/projects/create-project.ts'
import { insertIssues } from '#test/issues.ts'
import { type Answer, type Client, linkTo } from '#test/client.ts'
import { concerning, type Plan, plansOf, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { issueOrder, projectIssueOrder } from './list-order.ts'

const PROJECTS = 100
/** In each project, and in one of them: 20,000 in all. */
const FEW = 150
const MANY = 5_150

let own: World
let p: Awaited<ReturnType<World['project']>>
/** The ids of the project with many issues, and of the group that it is in. */
let large: number
let group: number

beforeAll(async () => {
  own = await openWorld()
  p = await own.project()
  group = (await own.group({ visibility: 'public' })).id
  await own.write(async (tx) => {
    for (let made = 1; made < PROJECTS; made += 1) {
      const path = `project-${made}`
      const visibility = made % 3 === 0 ? 'public' : 'private'
      const wanted = { name: path, path, visibility, parentId: group } as const
      large = (await createProject({ ...tx, author: null }, wanted)).id
    }
  })
  await fill()
  // Without the pages of the index that wait to be sorted in, too.
  await vacuum(own)
}, 180_000)
afterAll(() => own.running.stop())

/** Those of `p` are by its reporter and for its developer. */
async function fill(): Promise<void> {
  const { db } = own
  const mine = (id: number, otherwise: number) =>
    sql`case when project_id = ${p.id} then ${id}::bigint else ${otherwise}::bigint end`
  await insertIssues(
    db,
    sql`insert into issues (project_id, iid, title, description, author_id, state, confidential, weight, due_date,
      relative_position, upvotes, created_at, updated_at)
    select project_id, n, 'Issue ' || md5(n || '-' || project_id), 'It says ' || md5(n::text), ${mine(p.reporter.id, 1)},
      case when n % 3 = 0 then 'closed' else 'opened' end::issue_state, n % 10 = 0, case when n % 2 = 0 then n % 7 end,
      case when n % 4 = 0 then date '2026-01-01' + n % 100 end, case when n % 5 = 0 then n end, n % 13,
      now() - n * interval '1 minute' - project_id * interval '7 seconds', now() - n * project_id * interval '1 second'
    from (select id as project_id from projects) as p,
      generate_series(1, case when project_id = ${large} then ${MANY}::integer else ${FEW}::integer end) as n`,
  )
  await sql`
    insert into labels (namespace_id, name, color, created_at, updated_at)
    select p.project_namespace_id, 'label-' || n, '#ff0000', now(), now()
    from generate_series(1, 20) as n, projects p`.execute(db)
  await sql`
    insert into issue_labels (issue_id, label_id)
    select i.id, l.id from issues i join projects p on p.id = i.project_id
      join labels l on l.namespace_id = p.project_namespace_id and (l.id + i.iid) % 10 = 0`.execute(db)
  await sql`
    insert into issue_assignees (issue_id, user_id)
    select id, ${mine(p.developer.id, 1)} from issues where iid % 3 = 0`.execute(db)
}

const ofIssues = (names: readonly string[]) => names.filter((name) => name.startsWith('issues_'))

interface Reading {
  /** One of the indexes that find the ids of the page. */
  readonly by?: string
  /** Whether the rows come in the order of an index, so that a page costs no more in a larger table. */
  readonly sorted?: false
}

/** A list that finds its issues by indexes and does not read the whole table. */
async function expectIndexed(by: Client, path: string, { by: index, sorted }: Reading = {}): Promise<Answer> {
  const answer = await by.get(path)
  expect({ path, status: answer.status, empty: answer.body.length === 0 }).toEqual({
    path,
    status: 200,
    empty: false,
  })
  for (const plan of concerning(await plansOf(own, () => by.get(path)), 'issues')) {
    expect({ path, ...plan }).toMatchObject({ scanned: expect.not.arrayContaining(['issues']) })
    expect(ofIssues(plan.indexes)).not.toEqual([])
    if (index !== undefined && /\bas ids\b/.test(plan.sql))
      expect({ path, ...plan }).toMatchObject({ indexes: expect.arrayContaining([index]) })
    // The other statement of a list reads rows by their ids, and not by walking through all of a project.
    if (plan.sql.startsWith('select "i"."id", "i"."project_id"'))
      expect({ path, indexes: ofIssues(plan.indexes) }).toEqual({ path, indexes: ['issues_pkey'] })
    if (sorted === false) expectUnsorted(path, plan)
  }
  return answer
}

function expectUnsorted(path: string, { sorts }: Plan): void {
  expect({ path, sorts: sorts.filter((key) => /^(i|nt)\./.test(key)) }).toEqual({ path, sorts: [] })
}

const orders = Object.keys(issueOrder.columns)
const keysetOrders = Object.keys(projectIssueOrder.keyset?.orders ?? {})

describe('lists of issues read indexes, not the table', () => {
  test.each(orders)('by %s', async (order) => {
    await expectIndexed(p.guest, `/projects/${p.id}/issues?order_by=${order}&sort=asc`)
    await expectIndexed(p.guest, `/projects/${p.id}/issues?order_by=${order}&sort=desc`)
    await expectIndexed(p.guest, `/groups/${p.groupId}/issues?order_by=${order}`)
    await expectIndexed(p.reporter, `/issues?order_by=${order}`, { by: 'issues_author' })
    await expectIndexed(p.developer, `/issues?scope=assigned_to_me&order_by=${order}`)
  })

  test.each([
    'labels=label-3,label-13',
    'not[labels]=label-3&state=closed',
    'milestone=None',
    'assignee_id=None',
    'iids[]=7&iids[]=8',
    'created_after=2020-01-01&order_by=updated_at',
  ])('filtered by %s', async (filter) => {
    await expectIndexed(p.guest, `/projects/${p.id}/issues?${filter}`)
  })
})

test('the newest and the last changed issues of all projects are read in the order of an index', async () => {
  for (const by of [p.guest, own.root, own.anonymous]) {
    for (const [order, index] of [
      ['created_at', 'issues_newest'],
      ['updated_at', 'noteables_all_changed'],
    ] as const) {
      const path = `/issues?scope=all&order_by=${order}&per_page=100&page=6`
      await expectIndexed(by, path, { by: index })
    }
  }
})

describe('pages by keys are read in the order of their index', () => {
  test.each(keysetOrders)('by %s', async (order) => {
    for (const sort of ['asc', 'desc']) {
      const list = `/projects/${large}/issues?pagination=keyset&order_by=${order}&sort=${sort}`
      const first = await expectIndexed(own.root, list, { sorted: false })
      const second = await expectIndexed(own.root, linkTo('next', first) ?? '', { sorted: false })
      const back = `${list}&cursor=${second.headers.get('x-prev-cursor')}`
      expect((await expectIndexed(own.root, back, { sorted: false })).body).toEqual(first.body)
    }
  })
})

describe('search reads the index of words', () => {
  test.each(['c4ca4238a0b923820dcc509a6f75849b', 'c4ca4', 'c4ca4&in=description'])('%s', async (term) => {
    const by = 'issue_search_words'
    await expectIndexed(own.root, `/projects/${large}/issues?search=${term}`, { by })
    await expectIndexed(own.root, `/groups/${group}/issues?search=${term}`, { by })
    await expectIndexed(own.root, `/issues?scope=all&search=${term}`, { by })
  })
})

test('a list costs three statements, its pages by keys at most four, whatever the size', async () => {
  for (const size of [1, 20, 100]) {
    const list = `issues?per_page=${size}&with_labels_details=true`
    expect(await own.statements(() => p.guest.get(`/projects/${p.id}/${list}`))).toHaveLength(3)
    expect(await own.statements(() => p.guest.get(`/groups/${p.groupId}/${list}`))).toHaveLength(3)
    expect(await own.statements(() => p.guest.get(`/${list}&scope=all`))).toHaveLength(3)
    const sent = await own.statements(() =>
      p.guest.get(`/projects/${p.id}/${list}&pagination=keyset&order_by=weight`),
    )
    expect(sent.length).toBeLessThanOrEqual(4)
  }
  expect(await own.statements(() => p.guest.get(`/projects/${p.id}/issues_statistics`))).toHaveLength(2)
})
