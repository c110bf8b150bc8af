import { sql } from 'kysely'
import type { Db } from '#db/pool.ts'
import type { Tx } from '#db/transaction.ts'
import { badRequest, notFound } from '#http/errors.ts'
import type { ListOrder } from '#http/order.ts'
import type { Noteable } from '#noteables/find-noteable.ts'
import type { Thread } from '#notes/create-note.ts'
import type { NoteRow } from '#notes/entity.ts'
import { notesOn, type SingleNote, visibleNotes } from '#notes/queries.ts'

/** A discussion with the notes in it that the viewer may see, the one that started it first. */
export interface DiscussionRow {
  readonly id: Buffer
  readonly notes: readonly NoteRow[]
}

/** In the order in which they were started. */
export const discussionOrder: ListOrder = {
  of: 'Discussion',
  id: 'x.id',
  columns: { created_at: { column: 'x.created_at' } },
  by: 'created_at',
  sort: 'asc',
}

/** The discussions on something whose first note the viewer may see. */
export function discussionsOn(db: Db | Tx['db'], on: Noteable) {
  return (
    visibleNotes(db, on)
      .select('x.discussion_id as id')
      // Part of the text, so that the index over first notes serves.
      .where('x.starts_discussion', '=', sql.lit(true))
  )
}

/** The notes of those discussions, in one statement for all of them. */
export async function withNotes(
  db: Db | Tx['db'],
  on: Noteable,
  ids: readonly Buffer[],
): Promise<DiscussionRow[]> {
  const found = await notesIn(db, on, ids)
  const byId = Map.groupBy(found, ({ discussion_id }) => discussion_id.toString('hex'))
  return ids.map((id) => ({ id, notes: byId.get(id.toString('hex')) ?? [] }))
}

async function notesIn(db: Db | Tx['db'], on: Noteable, ids: readonly Buffer[]): Promise<SingleNote[]> {
  if (ids.length === 0) return []
  return notesOn(db, on)
    .select(['x.discussion_id', 'x.starts_discussion'])
    .where(sql<boolean>`x.discussion_id = any(${ids}::bytea[])`)
    .orderBy('x.starts_discussion', 'desc')
    .orderBy('x.created_at')
    .orderBy('x.id')
    .execute()
}

/** A discussion by the id of the wire. @throws 404 `Discussion Not Found`, also for what can be no id */
export async function findDiscussion(
  db: Db | Tx['db'],
  on: Noteable,
  hex: string,
): Promise<DiscussionRow & { readonly first: SingleNote }> {
  const id = bytesOf(hex)
  const notes = await notesIn(db, on, [id])
  const [first] = notes
  // Who may not see how it started sees none of it here.
  if (first === undefined || !first.starts_discussion) throw notFound('Discussion')
  return { id, notes, first }
}

function bytesOf(hex: string): Buffer {
  if (!/^[0-9a-f]{40}$/.test(hex)) throw notFound('Discussion')
  return Buffer.from(hex, 'hex')
}

/**
 * What a reply needs to know of a discussion.
 * @throws 404, and 400 for a record of the system, to which nobody replies
 */
export async function findThread(tx: Tx, on: Noteable, hex: string): Promise<Thread> {
  const { id, first } = await findDiscussion(tx.db, on, hex)
  if (first.system) throw badRequest('nobody can reply to what the system recorded')
  return { id, internal: first.internal, individual: first.type === null }
}
