import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createProject } from '#tenancy/projects/create-project.ts'
import { insertMergeRequests } from '#test/merge-requests.ts'
import type { Client } from '#test/client.ts'
import { giveBranches } from '#test/repositories.ts'
import { concerning, type Planning, plansOf, rowsRead, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'
import { mergeRequestOrder } from './order.ts'

// What lists cost, in rows that PostgreSQL looks at: with statistics from before most merge requests came, and with fresh ones. Most
// are in a project that only administrators see.

const PROJECTS = 60
/** In each project, in the project of the member, and in the one that they do not see. */
const FEW = 20
const SEEN = 1_000
const UNSEEN = 6_000

let own: World
let p: Awaited<ReturnType<World['project']>>
let member: Client
/** Who wrote most of the merge requests. */
let people: number[]
/** The group that the project of the member and half of the others are in. */
let top: number
/** A milestone of some of the member's merge requests. */
let milestone: number
/** A commit that the same ones bring. */
let commit: string
/** How many merge requests the member sees. */
let visible: number

beforeAll(async () => {
  own = await openWorld()
  top = (await own.group({ visibility: 'public' })).id
  p = await own.project({ parent: top })
  member = p.reporter
  const other = (await own.group({ visibility: 'public' })).id
  people = await Promise.all(Array.from({ length: 10 }, async () => (await own.user()).id))
  let unseen = 0
  await own.write(async (tx) => {
    for (let made = 1; made < PROJECTS; made += 1) {
      const path = `filled-${made}`
      const visibility = made % 3 === 0 ? 'private' : 'public'
      const wanted = { name: path, path, visibility, parentId: made % 2 === 0 ? top : other } as const
      const { id } = await createProject({ ...tx, author: null }, wanted)
      if (made === 3) unseen = id
    }
  })
  await fill(1, sql`${FEW}::integer`)
  await own.running.services.pool.query(`analyze ${FILLED}`)
  for (const table of FILLED.split(', '))
    await own.running.services.pool.query(`alter table ${table} set (autovacuum_enabled = off)`)
  await fill(
    FEW + 1,
    sql`case project_id when ${p.id} then ${SEEN}::integer when ${unseen} then ${UNSEEN}::integer end`,
  )
  milestone = (await p.owner.post(`/projects/${p.id}/milestones`, { title: 'soon' })).body.id
  await sql`update merge_requests set milestone_id = ${milestone} where project_id = ${p.id} and iid % 50 = 3`.execute(
    own.db,
  )
  await vacuumed()
  await bringCommits()
  visible = Number((await member.get('/merge_requests?scope=all')).headers.get('x-total'))
}, 180_000)
afterAll(() => own.running.stop())

/** Vacuums until nothing that runs at the same time keeps pages from being visible to all: only then indexes alone are read. */
async function vacuumed(): Promise<void> {
  const { pool } = own.running.services
  for (let pages = 1, visibleToAll = 0; visibleToAll < pages;) {
    await pool.query(`vacuum ${FILLED}`)
    const { rows } = await pool.query(
      `select relpages, relallvisible from pg_class where oid = 'merge_requests'::regclass`,
    )
    pages = rows[0].relpages
    visibleToAll = rows[0].relallvisible
  }
}

const FILLED =
  'merge_requests, noteables, merge_request_search, merge_request_labels, merge_request_assignees, merge_request_reviewers'

/** Gives the project a repository, and most of its merge requests one branch of it, a few the other. */
async function bringCommits(): Promise<void> {
  const repository = await giveBranches(p, own)
  const id = async (revision: string) =>
    (await repository.git.text(repository, ['rev-parse', revision])).trim()
  commit = await id('feature')
  await sql`
    update merge_requests set base_sha = ${await id('feature~2')},
      head_sha = case when iid % 50 = 3 then ${commit} else ${await id('clash')} end
    where project_id = ${p.id}`.execute(own.db)
}

/** Gives each project the merge requests from one number to another. Those of `p` are by its guest. */
async function fill(from: number, to: ReturnType<typeof sql>): Promise<void> {
  const { db } = own
  await insertMergeRequests(
    db,
    sql`insert into merge_requests (project_id, source_project_id, iid, title, description, author_id, state, source_branch,
      target_branch, head_sha, start_sha, changed_files, upvotes, merged_at, merge_user_id, created_at)
    select project_id, project_id, n, 'Merge ' || md5(n || '-' || project_id), 'It says ' || md5(n::text),
      case when project_id = ${p.id} and n % 50 = 0 then ${p.guest.id}::bigint else (${people}::bigint[])[1 + n % 10] end,
      (case n % 3 when 0 then 'merged' when 1 then 'opened' else 'closed' end)::merge_request_state,
      'branch-' || n, case when n % 40 = 0 then 'stable' else 'main' end, '0', '0', 1, n % 13,
      case when n % 3 = 0 then now() - n * interval '1 hour' end, case when n % 30 = 0 then ${p.owner.id}::bigint end,
      now() - n * interval '1 minute' - project_id * interval '7 seconds'
    from (select id as project_id from projects) as p, lateral generate_series(${from}::integer, ${to}) as n`,
  )
  await sql`
    insert into labels (namespace_id, name, color, created_at, updated_at)
    select p.project_namespace_id, 'label-' || n, '#ff0000', now(), now()
    from generate_series(1, 5) as n, projects p on conflict do nothing`.execute(db)
  await sql`
    insert into merge_request_labels (merge_request_id, label_id)
    select m.id, l.id from merge_requests m join projects p on p.id = m.project_id
      join labels l on l.namespace_id = p.project_namespace_id and (l.id + m.iid) % 10 = 0 where m.iid >= ${from}`.execute(
    db,
  )
  await sql`
    insert into merge_request_assignees (merge_request_id, user_id)
    select id, case when project_id = ${p.id} and iid % 100 = 0 then ${p.guest.id}::bigint else 1 end
    from merge_requests where iid % 4 = 0 and iid >= ${from}`.execute(db)
  await sql`
    insert into merge_request_reviewers (merge_request_id, user_id, created_at)
    select id, case when project_id = ${p.id} and iid % 100 = 1 then ${p.guest.id}::bigint else 1 end, now()
    from merge_requests where iid % 4 = 1 and iid >= ${from}`.execute(db)
}

const project = (rest: string) => `/projects/${p.id}/merge_requests?${rest}`
const group = (rest: string) => `/groups/${top}/merge_requests?${rest}`
const every = (rest: string) => `/merge_requests?scope=all&${rest}`

const PAGE = 61
const merged = () => visible + PROJECTS + 21 * 21 + PAGE

/** A list, and how many rows of merge requests and noteables it may look at. */
const cases: readonly (readonly [path: () => string, atMost: () => number])[] = [
  [() => project(''), () => SEEN + PAGE],
  [() => project('state=opened'), () => SEEN + 2 * PAGE],
  [() => project('order_by=merged_at'), () => SEEN + 3 * PAGE],
  [() => project('order_by=popularity'), () => SEEN + PAGE],
  [() => project('order_by=title&sort=asc'), () => SEEN + PAGE],
  [() => project('order_by=updated_at'), () => SEEN + 2 * PAGE],
  [() => project('order_by=priority'), () => 2 * SEEN + PAGE],
  [() => project('labels=nothing'), () => 0],
  [() => project('author_username=nobody'), () => 0],
  [() => project('reviewer_username=nobody'), () => 0],
  [() => project('source_branch=branch-7'), () => PAGE],
  [() => project('source_branch=nothing'), () => 1],
  [() => project(`reviewer_id=${p.guest.id}`), () => PAGE],
  [() => project(`assignee_id=${p.guest.id}`), () => PAGE],
  [() => project(`merge_user_id=${p.owner.id}`), () => 600],
  [() => project('search=8f14e45fceea167a5a36dedd4bea2543'), () => 3 * SEEN],
  [() => `/projects/${p.id}/milestones/${milestone}/merge_requests?`, () => 2 * PAGE],
  [() => project('milestone=soon'), () => 2 * PAGE],
  // Git is asked about all of the project at once.
  [() => `/projects/${p.id}/repository/commits/${commit}/merge_requests?`, () => SEEN + 2 * PAGE],
  [() => group(''), () => SEEN + 1_800],
  [() => group('order_by=merged_at'), () => SEEN + 2_400],
  [() => group('source_branch=branch-7'), () => 3 * PROJECTS + PAGE],
  [() => every(''), merged],
  [() => every('state=opened'), merged],
  [() => every('order_by=title'), merged],
  [() => every('order_by=updated_at'), () => merged() + 300],
  [() => every('order_by=merged_at'), () => merged() + 3 * (PROJECTS + 21 * 21)],
  [() => every('source_branch=branch-7'), () => 3 * PROJECTS + PAGE],
  [() => every('source_branch=branch-5999'), () => 2],
  [() => '/merge_requests', () => PAGE],
  [() => '/merge_requests?scope=reviews_for_me', () => PAGE],
]

const expectFew = (planning: Planning) => async (path: () => string, atMost: () => number) => {
  const rows = await rowsRead(own, ['merge_requests', 'noteables'], planning, () => member.get(path()))
  expect({ path: path(), rows }).toEqual({ path: path(), rows: expect.toSatisfy((read) => read <= atMost()) })
}

describe('with statistics from before most came, a list looks at few rows', () => {
  test.each(cases)('for its values: %s', expectFew('for the values'))
  test.each(cases)('for any values: %s', expectFew('for any values'))
})

describe('with fresh statistics', () => {
  beforeAll(() => vacuum(own), 60_000)

  test.each(cases)('a list looks at few rows: %s', expectFew('for the values'))

  test.each(Object.keys(mergeRequestOrder.columns))('by %s, no list reads the whole table', async (order) => {
    for (const [by, path] of [
      [member, project(`order_by=${order}`)],
      [member, group(`order_by=${order}&sort=asc`)],
      [p.guest, `/merge_requests?order_by=${order}`],
      [own.root, every(`order_by=${order}`)],
    ] as const) {
      for (const plan of concerning(await plansOf(own, () => by.get(path)), 'merge_requests'))
        expect({ path, ...plan }).toMatchObject({ scanned: expect.not.arrayContaining(['merge_requests']) })
    }
  })

  test('every index of merge requests that lists have is one that something reads', async () => {
    const requests = [
      ...Object.keys(mergeRequestOrder.columns).map(
        (order) => [member, project(`order_by=${order}`)] as const,
      ),
      [member, project('state=merged&order_by=label_priority')],
      [member, project(`merge_user_id=${p.owner.id}`)],
      [member, project('source_branch=branch-7')],
      [own.root, every('page=30')],
      [p.guest, '/merge_requests'],
    ] as const
    const used = new Set<string>()
    for (const [by, path] of requests) {
      for (const { indexes } of await plansOf(own, () => by.get(path)))
        indexes.forEach((name) => used.add(name))
    }
    expect([...used]).toEqual(
      expect.arrayContaining([
        'merge_requests_title',
        'merge_requests_merged_at',
        'merge_requests_popularity',
        'merge_requests_created_at',
        'merge_requests_all_created_at',
        'merge_requests_source_branch',
        'merge_requests_author',
        'merge_requests_merge_user',
      ]),
    )
  })

  test('those that bring a commit cost two statements more, for its repository and for what git is asked', async () => {
    const path = `/projects/${p.id}/repository/commits/${commit}/merge_requests?per_page=5`
    expect((await member.get(path)).headers.get('x-total')).toBe(String(SEEN / 50))
    expect(await own.statements(() => member.get(path))).toHaveLength(5)
  })

  test('a list costs three statements, whatever its size', async () => {
    for (const size of [1, 20, 100]) {
      for (const path of [project(''), group(''), every('')]) {
        const list = `${path}per_page=${size}&with_labels_details=true`
        expect(await own.statements(() => member.get(list))).toHaveLength(3)
      }
    }
  })
})
