import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { countNotes, countOf } from '#planning/noteables/count.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import { noteFact } from './insert-note-row.ts'
import type { SingleNote } from './queries.ts'

/** Deletes a comment; if it started a discussion, the next note starts it from then on. */
export async function deleteNoteRow(tx: Tx, on: Noteable, note: SingleNote): Promise<void> {
  await tx.db.deleteFrom('notes').where('id', '=', note.id).execute()
  if (note.starts_discussion) {
    await sql`
      update notes set starts_discussion = true where id = (
        select id from notes where discussion_id = ${note.discussion_id} order by created_at, id limit 1)`.execute(
      tx.db,
    )
  }
  await countNotes(tx, on.id, countOf(note.internal, -1))
  record(tx, noteFact('note deleted', on, note.id, note.internal))
}
