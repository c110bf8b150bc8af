import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest, notFound } from '#platform/http/errors.ts'
import { inlineBytes, type LongRows } from '#platform/http/long-rows.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { Thread } from '#planning/notes/create-note.ts'
import { longNotes, notesOn, type SingleNote, stillVisible, visibleNotes } from '#planning/notes/queries.ts'

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

/** Notes that are read at once, of all discussions of a page. */
const AT_ONCE = 500

/** The notes in discussions, as {@link sendLong} takes them: discussion by discussion, each in its order. */
export async function notesIn(db: Db, on: Noteable, ids: readonly Buffer[]): Promise<LongRows<SingleNote>> {
  const rows = ids.length === 0 ? [] : await someNotesIn(db, on, ids)
  const more = rows.length < AT_ONCE ? undefined : () => notesAfter(db, on, ids, rows)
  const { lacks } = longNotes(db, on)
  return {
    rows,
    more,
    lacks,
    whole: (some) => inDiscussions(db, on).where(isAnyOf('x.id', some)).where(stillVisible(on)).execute(),
  }
}

async function* notesAfter(
  db: Db,
  on: Noteable,
  ids: readonly Buffer[],
  rows: readonly SingleNote[],
): AsyncIterable<readonly SingleNote[]> {
  for (let read = rows; read.length === AT_ONCE;) {
    const last = read.at(-1)
    if (last === undefined) return
    // What is before the discussion of the last note is done.
    const left = ids.slice(ids.findIndex((id) => id.equals(last.discussion_id)))
    read = await someNotesIn(db, on, left, last)
    yield read
  }
}

/** @param last a note of the first discussion, behind which the notes start. */
function someNotesIn(
  db: Db | Tx['db'],
  on: Noteable,
  ids: readonly Buffer[],
  last?: SingleNote,
): Promise<SingleNote[]> {
  const container = sql`array_position(${[...ids]}::bytea[], x.discussion_id)`
  return inDiscussions(db, on, inlineBytes())
    .where(sql<boolean>`x.discussion_id = any(${[...ids]}::bytea[])`)
    .$if(last !== undefined, (q) =>
      q
        .where(sql<boolean>`(${container}, not x.starts_discussion, x.created_at, x.id) >
        (1, ${!last?.starts_discussion}, ${last?.created_at}::timestamptz, ${last?.id}::bigint)`)
        .where(stillVisible(on)),
    )
    .orderBy(container)
    .orderBy('x.starts_discussion', 'desc')
    .orderBy('x.created_at')
    .orderBy('x.id')
    .limit(sql.lit(AT_ONCE))
    .execute()
}

function inDiscussions(db: Db | Tx['db'], on: Noteable, longest?: number) {
  return notesOn(db, on, longest).select(['x.discussion_id', 'x.starts_discussion'])
}

/**
 * How a discussion starts: its first note, without a body, found by the id of the wire.
 * @throws 404 `Discussion Not Found`, also for what can be no id, and for who may not see how it started
 */
export async function findStart(db: Db | Tx['db'], on: Noteable, hex: string): Promise<SingleNote> {
  const first = await inDiscussions(db, on, 0)
    .where(sql<boolean>`x.discussion_id = ${bytesOf(hex)}::bytea`)
    .where('x.starts_discussion', '=', true)
    .executeTakeFirst()
  if (first === undefined) throw notFound('Discussion')
  return first
}

/**
 * The notes of one discussion by the id of the wire.
 * @throws 404 as {@link findStart} does
 */
export async function findDiscussion(db: Db, on: Noteable, hex: string): Promise<LongRows<SingleNote>> {
  const notes = await notesIn(db, on, [bytesOf(hex)])
  // Who may not see how it started sees none of it here.
  if (!notes.rows[0]?.starts_discussion) throw notFound('Discussion')
  return notes
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
  const first = await findStart(tx.db, on, hex)
  if (first.system) throw badRequest('system notes cannot have replies')
  return { id: first.discussion_id, internal: first.internal, individual: first.type === null }
}
