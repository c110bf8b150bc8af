import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { insertIssues } from '#test/issues.ts'
import { w } from '#test/world.ts'

test('statistics count no further than 10,001 of each state, and of each label', async () => {
  const p = await w.project()
  const [often, seldom] = await Promise.all(
    ['often', 'seldom'].map(async (name) => {
      const { body } = await p.owner.post(`/projects/${p.id}/labels`, { name, color: 'red' })
      return body.id
    }),
  )
  await insertIssues(
    w.db,
    sql`insert into issues (project_id, iid, title, author_id, state, created_at, updated_at)
      select ${p.id}::bigint, n, 'x', ${p.owner.id}::bigint,
        (case when n <= 10100 then 'opened' else 'closed' end)::issue_state, now(), now()
      from generate_series(1, 10200) as n`,
  )
  await sql`with i as (select id, iid from issues where project_id = ${p.id})
    insert into issue_labels (issue_id, label_id)
    select id, ${often}::bigint from i where iid <= 10100
    union all select id, ${seldom}::bigint from i where iid > 10193`.execute(w.db)
  const { body } = await p.guest.get(`/projects/${p.id}/issues_statistics`)
  expect(body.statistics.counts).toEqual({ all: 10_101, opened: 10_001, closed: 100 })
  expect((await p.guest.get(`/projects/${p.id}`)).body.open_issues_count).toBe(10_100)
  expect((await p.guest.get(`/projects/${p.id}/labels?with_counts=true`)).body).toMatchObject([
    { name: 'often', open_issues_count: 10_001, closed_issues_count: 0 },
    { name: 'seldom', open_issues_count: 0, closed_issues_count: 7 },
  ])
})
