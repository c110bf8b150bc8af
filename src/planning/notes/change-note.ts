import type { FastifyRequest } from 'fastify'
import type { Tx } from '#platform/db/transaction.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NoteChanges } from '#planning/noteables/note-schemas.ts'
import { deleteNote } from './delete-note.ts'
import { assertMayChange } from './policy.ts'
import { findNote, type SingleNote } from './queries.ts'
import { updateNote } from './update-note.ts'
import { recordMentioned } from './write-note.ts'

/** A note that a path names: by its id and, where the path has one, its discussion. */
export interface NamedNote {
  readonly id: number
  readonly discussionId?: Buffer
}

/**
 * Changes a note on request, after checking the caller's rights.
 * @throws 404, 403, 412
 */
export async function changeNote(
  tx: Tx,
  req: FastifyRequest,
  on: Noteable,
  named: NamedNote,
  changes: NoteChanges,
): Promise<SingleNote> {
  const before = await assertNote(tx, req, on, named)
  if (!(await updateNote(tx, on, before, changes))) return before
  const note = await findNote(tx.db, on, named.id)
  await recordMentioned(tx, req, on, note, true)
  return note
}

/**
 * Deletes a note on request, after checking the caller's rights.
 * @throws 404, 403, 412
 */
export async function takeNoteAway(
  tx: Tx,
  req: FastifyRequest,
  on: Noteable,
  named: NamedNote,
): Promise<void> {
  await deleteNote(tx, on, await assertNote(tx, req, on, named))
}

async function assertNote(
  tx: Tx,
  req: FastifyRequest,
  on: Noteable,
  { id, discussionId }: NamedNote,
): Promise<SingleNote> {
  const note = await findNote(tx.db, on, id, discussionId)
  assertMayChange(on, note, req.user())
  assertUnmodified(req, note.updated_at)
  return note
}
