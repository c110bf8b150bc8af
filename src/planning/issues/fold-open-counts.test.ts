import { sql } from 'kysely'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { jobContext } from '#platform/jobs/context.ts'
import { insertIssues } from '#test/issues.ts'
import { openWorld, type World } from '#test/world.ts'
import { foldOpenCounts } from './fold-open-counts.ts'

let own: World
let p: Awaited<ReturnType<World['project']>>

beforeAll(async () => {
  own = await openWorld()
  p = await own.project({ visibility: 'public' })
})
afterAll(() => own.running.stop())

const fold = () => {
  const services = { ...own.running.services, log: pino({ level: 'silent' }) }
  const job = jobContext(services, { attempt: 1, signal: new AbortController().signal })
  return foldOpenCounts.execute({}, job)
}
/** How many changes are not added up yet, in one project; what was deleted in another may still be on its way. */
const changes = async (project: { id: number } = p) => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from open_issue_changes where project_id = ${project.id}`.execute(own.db)
  return rows[0]?.n
}
const count = async (by: { get: World['root']['get'] }) =>
  (await by.get(`/projects/${p.id}`)).body.open_issues_count

test('whatever happens to issues, the stored number is that of the open ones', async () => {
  const issues = `/projects/${p.id}/issues`
  for (const given of [{}, { confidential: true }, {}, {}]) {
    expect((await p.planner.post(issues, { title: 'x', ...given })).status).toBe(201)
  }
  const expected = async (all: number, open: number) => {
    expect([await count(own.root), await count(p.planner), await count(p.stranger)]).toEqual([all, all, open])
  }
  await expected(4, 3)
  await p.planner.put(`${issues}/1`, { state_event: 'close' })
  await p.planner.put(`${issues}/3`, { confidential: true, title: 'y' })
  await expected(3, 1)
  await fold()
  expect(await changes()).toBe(0)
  await expected(3, 1)
  await p.planner.put(`${issues}/1`, { state_event: 'reopen' })
  expect((await p.owner.delete(`${issues}/4`)).status).toBe(204)
  await p.planner.put(`${issues}/2`, { confidential: false })
  await expected(3, 2)
  await Promise.all([fold(), fold(), fold()])
  await expected(3, 2)
})

test('a statement that writes many issues adds one row, and so does the removal of a project', async () => {
  const other = await own.project()
  await insertIssues(
    own.db,
    sql`insert into issues (project_id, iid, title, author_id, created_at, updated_at)
      select ${other.id}::bigint, n, 'x', ${p.owner.id}::bigint, now(), now() from generate_series(1, 500) as n`,
  )
  // The server adds them up each minute, perhaps in this moment.
  expect(await changes(other)).toBeLessThanOrEqual(1)
  expect((await own.root.get(`/projects/${other.id}`)).body.open_issues_count).toBe(500)
  await sql`delete from namespaces where id = ${other.namespaceId}`.execute(own.db)
  expect(await changes(other)).toBeLessThanOrEqual(2)
  await fold()
  expect(await changes(other)).toBe(0)
})

test('many changes are added up in batches, by several processes at once', async () => {
  const before = await count(own.root)
  await sql`insert into open_issue_changes (project_id, confidential, change)
    select ${p.id}, n % 2 = 0, 1 from generate_series(1, 12000) as n`.execute(own.db)
  expect(await count(own.root)).toBe(before + 12_000)
  await Promise.all([fold(), fold()])
  expect([await changes(), await count(own.root)]).toEqual([0, before + 12_000])
})

test('a page of projects costs the same whatever is in them: it reads no issue', async () => {
  const sent = await own.sent(() => own.root.get('/projects'))
  expect(sent.some(({ sql: text }) => /\bissues\b/.test(text))).toBe(false)
})
