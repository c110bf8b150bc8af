import type { FastifyRequest } from 'fastify'
import type { Tx } from '#platform/db/transaction.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import { deleteNoteRow } from './delete-note-row.ts'
import { assertMayChangeNote } from './policy.ts'
import { findNote, type SingleNote } from './queries.ts'
import { type PreparedChanges, updateNoteRow } from './update-note-row.ts'
import { recordNoteMentions } from './submit-note.ts'

/** A note that a path names: by its id and, where the path has one, its discussion. */
export interface NoteReference {
  readonly id: number
  readonly discussionId?: Buffer
}

/**
 * Changes a note on request, after checking the caller's rights.
 * @throws 404, 403, 412
 */
export async function updateNote(
  tx: Tx,
  req: FastifyRequest,
  on: Noteable,
  named: NoteReference,
  changes: PreparedChanges,
): Promise<SingleNote> {
  const before = await findChangeableNote(tx, req, on, named)
  if (!(await updateNoteRow(tx, on, before, changes))) return before
  const note = await findNote(tx.db, on, named.id)
  await recordNoteMentions(tx, req, on, note, true)
  return note
}

/**
 * Deletes a note on request, after checking the caller's rights.
 * @throws 404, 403, 412
 */
export async function deleteNote(
  tx: Tx,
  req: FastifyRequest,
  on: Noteable,
  named: NoteReference,
): Promise<void> {
  await deleteNoteRow(tx, on, await findChangeableNote(tx, req, on, named))
}

async function findChangeableNote(
  tx: Tx,
  req: FastifyRequest,
  on: Noteable,
  { id, discussionId }: NoteReference,
): Promise<SingleNote> {
  const note = await findNote(tx.db, on, id, discussionId)
  assertMayChangeNote(on, note, req.user())
  assertUnmodified(req, note.updated_at)
  return note
}
