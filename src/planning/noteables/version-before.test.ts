import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { w } from '#test/world.ts'

// While an instance is updated, nodes of the version before write what notes move into `issues`.

/** What this version reads. */
async function countsOf(id: number) {
  const { rows } = await sql<{ at: string; open: number; internal: number }>`
    select updated_at as at, notes_count as open, internal_notes_count as internal from noteables where id = ${id}`.execute(
    w.db,
  )
  return rows.map(({ at, ...counts }) => ({ at: new Date(at).toISOString(), ...counts }))
}

test('an issue that the version before opens has its time and counts in the noteable', async () => {
  const p = await w.project()
  const { rows } = await sql<{ id: number }>`
    with issue as (
      insert into issues (project_id, iid, title, author_id, notes_count, created_at, updated_at)
      values (${p.id}, 1, 'x', 1, 3, '2026-01-02', '2026-01-02T03:04:05Z') returning id
    ), noteable as (insert into noteables (id, kind, namespace_id) select id, 'issue', ${p.namespaceId}::bigint from issue)
    select id from issue`.execute(w.db)
  const [issue] = rows
  expect(await countsOf(issue?.id ?? 0)).toEqual([{ at: '2026-01-02T03:04:05.000Z', open: 3, internal: 0 }])
})

test('what the version before counts and what this one counts adds up', async () => {
  const p = await w.project()
  const { body: issue } = await p.owner.post(`/projects/${p.id}/issues`, { title: 'x' })
  await p.owner.post(`/projects/${p.id}/issues/1/notes`, { body: 'by this one' })
  await sql`
    update issues set updated_at = '2036-01-02', notes_count = notes_count + 1,
      internal_notes_count = internal_notes_count + 2 where id = ${issue.id}`.execute(w.db)
  expect(await countsOf(issue.id)).toEqual([{ at: '2036-01-02T00:00:00.000Z', open: 2, internal: 2 }])
  const { body } = await p.owner.get(`/projects/${p.id}/issues/1`)
  expect(body).toMatchObject({ user_notes_count: 4, updated_at: '2036-01-02T00:00:00.000Z' })
})

test('this version writes neither the row of the issue nor its columns for a note', async () => {
  const p = await w.project()
  const { body: issue } = await p.owner.post(`/projects/${p.id}/issues`, { title: 'x' })
  const versionOf = async () =>
    (await sql`select ctid::text, xmin::text from issues where id = ${issue.id}`.execute(w.db)).rows
  const before = await versionOf()
  const { body: note } = await p.owner.post(`/projects/${p.id}/issues/1/notes`, { body: 'x' })
  await p.owner.put(`/projects/${p.id}/issues/1/notes/${note.id}`, { body: 'y' })
  await p.owner.delete(`/projects/${p.id}/issues/1/notes/${note.id}`)
  expect(await versionOf()).toEqual(before)
})
