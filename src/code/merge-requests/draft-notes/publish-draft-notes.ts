import { isAnyOf } from '#platform/db/any-of.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { conflict } from '#platform/refusals.ts'
import { findStart, findThread } from '#planning/discussions/queries.ts'
import { suggestedBy } from '#planning/discussions/suggested-by.ts'
import { mayResolve, resolveThread } from '#planning/discussions/resolve.ts'
import { actionsFor, lockNoteable, type Noteable } from '#planning/noteables/find-noteable.ts'
import type { QuickActions } from '#planning/noteables/kind.ts'
import type { NewSuggestion } from '#planning/noteables/suggesting.ts'
import { type NoteWriter, submitNoteToThread } from '#planning/notes/submit-note.ts'
import { submitReview } from '../approvals/approve.ts'
import { lockMergeRequest } from '../queries.ts'
import type { DraftNoteRow } from './entity.ts'
import { columns, type Own } from './queries.ts'

/** A draft note, with what its commands do and what it suggests. */
interface PreparedDraft {
  readonly draft: DraftNoteRow
  readonly actions: QuickActions | undefined
  readonly suggested: readonly NewSuggestion[] | undefined
}

/** Finds out what the commands in draft notes, and what they suggest, need from git. No transaction is open. */
export async function prepareDraftNotes(
  req: NoteWriter,
  found: Noteable,
  drafts: readonly DraftNoteRow[],
): Promise<PreparedDraft[]> {
  const prepared: PreparedDraft[] = []
  for (const draft of drafts) {
    const { note, discussion_id, position } = draft
    const stands = discussion_id === null ? { position } : discussion_id.toString('hex')
    const actions = await actionsFor(req, found, note)
    prepared.push({ draft, actions, suggested: await suggestedBy(req, found, note, stands) })
  }
  return prepared
}

/**
 * Publishes draft notes of the caller: all of them or none. Those that were published or deleted meanwhile are left out.
 * Each becomes a note as if it was written now, so this takes some statements for each; limits.ts bounds them.
 *
 * @returns how many were published.
 * @throws 403 for callers who may not write notes there any more, 404 for a discussion that is gone, 400 for commands none
 * of which could be applied, 409 for a draft note that was changed since it was prepared.
 */
export async function publishDraftNotes(
  tx: Tx,
  req: NoteWriter,
  found: Noteable,
  prepared: readonly PreparedDraft[],
): Promise<number> {
  const on = await lockNoteable(
    tx,
    req,
    found,
    prepared.map(({ draft }) => draft.note),
  )
  const own = { mergeRequestId: on.id, userId: req.user().id }
  const taken = await takeDraftNotes(tx, own, prepared)
  for (const { draft, ...known } of prepared) {
    const row = taken.get(draft.id)
    if (row === undefined) continue
    if (row.note !== draft.note) throw conflict('A draft note was changed meanwhile. Publish again.')
    await publish(tx, req, on, row, known)
  }
  return taken.size
}

/** What somebody says with all their draft notes. */
export interface Summary {
  readonly note?: string | undefined
  readonly internal?: boolean | undefined
  readonly reviewer_state?: 'reviewed' | 'requested_changes' | undefined
}

/**
 * Publishes draft notes as {@link publishDraftNotes} does, and ends the review of the caller. Nothing is said again where
 * somebody else has published all of them meanwhile.
 */
export async function publishReview(
  tx: Tx,
  req: NoteWriter,
  found: Noteable,
  prepared: readonly PreparedDraft[],
  { note, internal = false, reviewer_state, actions }: Summary & Pick<PreparedDraft, 'actions'>,
): Promise<void> {
  const on = await lockNoteable(tx, req, found, [...prepared.map(({ draft }) => draft.note), note ?? ''])
  const published = await publishDraftNotes(tx, req, on, prepared)
  if (published === 0 && prepared.length > 0) return
  if (note !== undefined) await submitNoteToThread(tx, req, on, { body: note, internal, actions }, undefined)
  if (reviewer_state === undefined) return
  const locked = await lockMergeRequest(tx, req.viewer, req.project(), Number(on.key))
  await submitReview(tx, locked, req.user().id, reviewer_state)
}

/** Removes draft notes, so that nobody else publishes them. @returns those that were still there, by their ids */
async function takeDraftNotes(
  tx: Tx,
  { mergeRequestId, userId }: Own,
  prepared: readonly PreparedDraft[],
): Promise<ReadonlyMap<number, DraftNoteRow>> {
  const ids = prepared.map(({ draft }) => draft.id)
  const rows = await tx.db
    .deleteFrom('draft_notes as d')
    .where(isAnyOf('d.id', ids))
    .where('d.merge_request_id', '=', mergeRequestId)
    .where('d.author_id', '=', userId)
    .returning(columns)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

async function publish(
  tx: Tx,
  req: NoteWriter,
  on: Noteable,
  { note: body, discussion_id, resolve_discussion, position }: DraftNoteRow,
  { actions, suggested }: Omit<PreparedDraft, 'draft'>,
): Promise<void> {
  const hex = discussion_id?.toString('hex')
  const thread = hex === undefined ? 'new' : await findThread(tx, on, hex)
  await submitNoteToThread(tx, req, on, { body, placed: position ?? undefined, suggested, actions }, thread)
  if (hex === undefined) return
  // Now, because the reply turned a single note into a thread.
  const first = await findStart(tx.db, on, hex)
  if (await mayResolve(tx, req, on, first)) await resolveThread(tx, req, on, first, resolve_discussion)
}
