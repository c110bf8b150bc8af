import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden, invalid } from '#platform/refusals.ts'
import { countNotes } from '#planning/noteables/count.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NoteChanges } from '#planning/noteables/note-schemas.ts'
import type { NewSuggestion } from '#planning/noteables/suggesting.ts'
import { noteFact } from './insert-note-row.ts'
import type { SingleNote } from './queries.ts'

/** The changes, with what was found out before the transaction. */
export interface PreparedChanges extends NoteChanges {
  /** What the new body suggests. */
  readonly suggested?: readonly NewSuggestion[] | undefined
}

/**
 * Applies the given changes that differ.
 * @returns whether anything changed.
 * @throws 403 when a user who may not read other people's internal notes changes whether the note is internal; 400 for
 * such a change within a discussion, whose notes have the same readers.
 */
export async function updateNoteRow(
  tx: Tx,
  on: Noteable,
  note: SingleNote,
  { body = note.body, confidential: internal = note.internal, suggested }: PreparedChanges,
): Promise<boolean> {
  const moved = internal !== note.internal
  if (body === note.body && !moved) return false
  if (moved) await assertMayHideOrShow(tx, on, note)
  await tx.db
    .updateTable('notes')
    .set({ body, internal, updated_at: tx.now })
    .where('id', '=', note.id)
    .execute()
  if (body !== note.body && suggested !== undefined)
    await on.kind.suggesting?.write(tx, on, note.id, suggested)
  const by = moved ? (internal ? 1 : -1) : 0
  await countNotes(tx, on.id, { open: 0 - by, internal: by })
  record(tx, noteFact('note changed', on, note.id, internal))
  return true
}

async function assertMayHideOrShow(tx: Tx, { container }: Noteable, note: SingleNote): Promise<void> {
  if (!container.may('readInternalNotes')) throw forbidden()
  const other = await tx.db
    .selectFrom('notes')
    .select('id')
    .where('discussion_id', '=', note.discussion_id)
    .where('id', '<>', note.id)
    .limit(1)
    .executeTakeFirst()
  if (other !== undefined) throw invalid({ confidential: ['cannot differ within a discussion'] })
}
