import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ListOrder } from '#platform/http/order.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NotePosition } from '#planning/noteables/position.ts'
import type { DraftNoteRow } from './entity.ts'
import { MAX_DRAFT_NOTE_BYTES, MAX_DRAFT_NOTES } from './limits.ts'

/** Whose draft notes on which merge request. Nobody else sees them. */
export interface Own {
  readonly mergeRequestId: number
  readonly userId: number
}

export const ownOn = ({ id }: Pick<Noteable, 'id'>, req: Pick<FastifyRequest, 'user'>): Own => ({
  mergeRequestId: id,
  userId: req.user().id,
})

/** As they were written. */
export const draftNoteOrder: ListOrder = { of: 'Draft Note', id: 'd.id', columns: {}, by: 'id', sort: 'asc' }

export const columns = [
  'd.id',
  'd.author_id',
  'd.merge_request_id',
  'd.note',
  'd.discussion_id',
  'd.resolve_discussion',
  sql<NotePosition | null>`d.position`.as('position'),
] as const

export const draftNotesOf = (db: Db | Tx['db'], { mergeRequestId, userId }: Own) =>
  db
    .selectFrom('draft_notes as d')
    .select(columns)
    .where('d.merge_request_id', '=', mergeRequestId)
    .where('d.author_id', '=', userId)

/** @throws 404, also for one of somebody else */
export async function findDraftNote(db: Db | Tx['db'], own: Own, id: number): Promise<DraftNoteRow> {
  const row = await draftNotesOf(db, own).where('d.id', '=', id).executeTakeFirst()
  if (row === undefined) throw notFound('Draft Note')
  return row
}

/** @throws 400 when a person has too many on a merge request, or too much text in them */
export async function assertRoom(tx: Tx, { mergeRequestId, userId }: Own): Promise<void> {
  const { rows } = await sql<{ count: number; bytes: number }>`
    select count(*)::integer as count, coalesce(sum(octet_length(note)), 0)::bigint as bytes from draft_notes
    where merge_request_id = ${mergeRequestId} and author_id = ${userId}`.execute(tx.db)
  const { count = 0, bytes = 0 } = rows[0] ?? {}
  if (count > MAX_DRAFT_NOTES)
    throw invalid({ draft_note: [`cannot be added: ${MAX_DRAFT_NOTES} are the most`] })
  if (bytes > MAX_DRAFT_NOTE_BYTES)
    throw invalid({ note: [`is too long: all draft notes have ${MAX_DRAFT_NOTE_BYTES} bytes at most`] })
}
