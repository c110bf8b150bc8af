import { sql } from 'kysely'
import { recordset } from '#platform/db/recordset.ts'
import type { Suggesting } from '#planning/noteables/suggesting.ts'

/** Replaces the suggestions of a note. One that was applied stays, as far as the text still suggests the same. */
export const writeSuggestions: Suggesting['write'] = async (tx, { id }, note_id, suggestions) => {
  const texts = suggestions.map(({ to_content }) => to_content)
  await sql`
    delete from suggestions where note_id = ${note_id}
      and (applied_sha is null or not to_content = any(${texts}::text[]))`.execute(tx.db)
  if (suggestions.length === 0) return
  const rows = suggestions.map((one, order) => ({ ...one, id: order, note_id, merge_request_id: id }))
  await sql`
    insert into suggestions
      (note_id, merge_request_id, path, at_sha, from_line, to_line, from_content, to_content, outdated, branch_gone)
    select s.note_id, s.merge_request_id, s.path, s.at_sha, s.from_line, s.to_line, s.from_content, s.to_content, s.outdated,
      s.branch_gone
    from ${recordset('suggestions', rows)} as s
    where not exists (select 1 from suggestions o where o.note_id = s.note_id and o.to_content = s.to_content)
    order by s.id`.execute(tx.db)
}
