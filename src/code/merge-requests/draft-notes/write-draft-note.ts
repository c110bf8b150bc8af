import { lockText } from '#platform/db/locks.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, invalid, notFound } from '#platform/refusals.ts'
import { findStart, findThread } from '#planning/discussions/queries.ts'
import { assertMayResolve } from '#planning/discussions/resolve.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import { lockForComment, type Noteable } from '#planning/noteables/find-noteable.ts'
import type { NotePosition } from '#planning/noteables/position.ts'
import { assertMayComment } from '#planning/notes/policy.ts'
import { assertRoom, type Own } from './queries.ts'

export interface NewDraftNote {
  readonly note: string
  readonly in_reply_to_discussion_id?: string
  readonly resolve_discussion?: boolean
  /** Where it stands on a diff. */
  readonly placed?: NotePosition | undefined
}

interface DraftNoteChanges {
  readonly note: string | undefined
  readonly placed: NotePosition | undefined
}

/**
 * Writes a draft note of the caller, which nobody else learns of: there is no domain event of it.
 * @returns its id
 * @throws 403 for callers who may not write notes there, or not resolve the discussion; 404 for an unknown one; 400 past the limits
 */
export async function createDraftNote(
  tx: Tx,
  caller: Caller,
  found: Noteable,
  { note, in_reply_to_discussion_id: hex, resolve_discussion = false, placed }: NewDraftNote,
): Promise<number> {
  const { own, on } = await lockDraftNotes(tx, caller, found)
  const thread = hex === undefined ? undefined : await findThread(tx, on, hex)
  assertMayComment(on, thread?.internal ?? false)
  if (resolve_discussion) {
    if (hex === undefined) throw invalid({ resolve_discussion: ['needs a discussion to reply to'] })
    await assertMayResolve(tx, caller, on, { ...(await findStart(tx.db, on, hex)), type: 'DiscussionNote' })
  }
  const { id } = await tx.db
    .insertInto('draft_notes')
    .values({
      merge_request_id: own.mergeRequestId,
      author_id: own.userId,
      note,
      discussion_id: thread?.id ?? null,
      resolve_discussion,
      position: placed === undefined ? null : JSON.stringify(placed),
      created_at: tx.now,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await assertRoom(tx, own)
  return id
}

/**
 * Changes the text or the place of a draft note of the caller.
 * @throws 404, 403 for callers who may not write notes there any more, 400 past the limits
 */
export async function updateDraftNote(
  tx: Tx,
  caller: Caller,
  found: Noteable,
  id: number,
  { note, placed }: DraftNoteChanges,
): Promise<void> {
  const { own, on } = await lockDraftNotes(tx, caller, found)
  assertMayComment(on, false)
  const changed = await tx.db
    .updateTable('draft_notes')
    .set({
      ...(note !== undefined && { note }),
      ...(placed !== undefined && { position: JSON.stringify(placed) }),
    })
    .where('id', '=', id)
    .where('merge_request_id', '=', own.mergeRequestId)
    .where('author_id', '=', own.userId)
    .returning('id')
    .executeTakeFirst()
  if (changed === undefined) throw notFound('Draft Note')
  await assertRoom(tx, own)
}

/** @throws 404 */
export async function deleteDraftNote(tx: Tx, { mergeRequestId, userId }: Own, id: number): Promise<void> {
  const gone = await tx.db
    .deleteFrom('draft_notes')
    .where('id', '=', id)
    .where('merge_request_id', '=', mergeRequestId)
    .where('author_id', '=', userId)
    .returning('id')
    .executeTakeFirst()
  if (gone === undefined) throw notFound('Draft Note')
}

/** One at a time adds to the draft notes of a person on a merge request, because their number has a limit. */
async function lockDraftNotes(
  tx: Tx,
  caller: Caller,
  found: Noteable,
): Promise<{ readonly own: Own; readonly on: Noteable }> {
  if (tx.author === null) throw forbidden()
  const own = { mergeRequestId: found.id, userId: tx.author.id }
  await lockText(tx, `draft notes ${own.mergeRequestId} ${own.userId}`)
  return { own, on: await lockForComment(tx, caller, found, '') }
}
