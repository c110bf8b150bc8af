import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject } from '#tenancy/projects/create-project.ts'
import { insertIssues } from '#test/issues.ts'
import { insertMergeRequests } from '#test/merge-requests.ts'
import { type Planning, rowsRead, vacuum } from '#test/plans.ts'
import { openWorld, type World } from '#test/world.ts'

// What lists of several projects cost where all items are in one of them. PostgreSQL expects as many in each of the others.

const PROJECTS = 100
const ITEMS = 2_000

let own: World
let member: Awaited<ReturnType<World['user']>>

beforeAll(async () => {
  own = await openWorld()
  member = await own.user()
  const { id: group } = await own.group({ visibility: 'public' })
  let large = 0
  await own.write(async (tx) => {
    for (let made = 0; made < PROJECTS; made += 1) {
      const path = `project-${made}`
      const wanted = { name: path, path, visibility: 'public', parentId: group } as const
      large = (await createProject({ ...tx, author: null }, wanted)).id
    }
  })
  await insertIssues(
    own.db,
    sql`insert into issues (project_id, iid, title, author_id, weight, created_at, updated_at)
      select ${large}::bigint, n, 'Issue ' || md5(n::text), 1, n % 7, now() - n * interval '1 minute', now()
      from generate_series(1, ${ITEMS}::integer) as n`,
  )
  await insertMergeRequests(
    own.db,
    sql`insert into merge_requests (project_id, source_project_id, iid, title, author_id, source_branch, target_branch, head_sha,
        start_sha, changed_files, created_at)
      select ${large}::bigint, ${large}::bigint, n, 'Merge ' || md5(n::text), 1, 'branch-' || n, 'main', '0', '0', 1,
        now() - n * interval '1 minute' from generate_series(1, ${ITEMS}::integer) as n`,
  )
  await vacuum(own, 'issues, merge_requests, noteables')
}, 180_000)
afterAll(() => own.running.stop())

/** All are counted, at most sorted for the first one and again for the page, and each project is asked for its first. */
const FEW = 3 * ITEMS + 3 * PROJECTS + 200

test.each([
  '/issues?scope=all',
  '/issues?scope=all&order_by=updated_at',
  '/issues?scope=all&order_by=title',
  '/issues?scope=all&order_by=weight&state=opened',
  '/issues_statistics?scope=all',
  '/merge_requests?scope=all',
  '/merge_requests?scope=all&order_by=updated_at',
  '/merge_requests?scope=all&order_by=title&state=opened',
])('%s reads them a few times, and not once for each project', async (path) => {
  const tables = ['issues', 'merge_requests', 'noteables']
  for (const planning of ['for the values', 'for any values'] satisfies Planning[]) {
    const rows = await rowsRead(own, tables, planning, async () => {
      expect(await member.get(path)).toMatchObject({ status: 200 })
    })
    expect({ planning, rows }).toEqual({ planning, rows: expect.toSatisfy((read: number) => read <= FEW) })
  }
})
