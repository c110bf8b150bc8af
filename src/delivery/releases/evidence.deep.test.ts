import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { branchedProject } from '#test/merge-requests.ts'
import { w } from '#test/world.ts'

test('evidence of a release with the longest texts there can be is kept, with the oldest issues', async () => {
  const { id, owner, developer, maintainer, namespaceId } = await branchedProject()
  const base = `/projects/${id}`
  const titles = Array.from({ length: 20 }, (_, n) => `${n} `.padEnd(255, '"'))
  for (const title of titles) {
    const made = await maintainer.post(`${base}/milestones`, { title })
    expect(made.status).toBe(201)
  }
  // JSON needs six bytes for each of these characters.
  await sql`
    with noteable as (
      insert into noteables (kind, namespace_id, updated_at)
      select 'issue', ${namespaceId}, now() from generate_series(1, 1600) returning id
    )
    insert into issues (id, project_id, iid, title, author_id, milestone_id, created_at)
    select id, ${id}, row_number() over (order by id), rpad('', 255, chr(1)), ${owner.id},
      (select min(m.id) from milestones m where m.namespace_id = ${namespaceId}), now()
    from noteable`.execute(w.db)
  const made = await developer.post(`${base}/releases`, {
    tag_name: 'v1',
    ref: 'main',
    description: '\u0001'.repeat(125_000),
    milestones: titles,
  })
  expect([made.status, made.body.message, made.body.evidences?.length]).toEqual([201, undefined, 1])
  const { summary } = await w.db
    .selectFrom('release_evidences as e')
    .innerJoin('releases as r', 'r.id', 'e.release_id')
    .select('e.summary')
    .where('r.project_id', '=', id)
    .executeTakeFirstOrThrow()
  expect(summary.match(/"iid" : \d+, "title" : "\\u0001/g)).toHaveLength(1_500)
})
