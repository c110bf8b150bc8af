import { sql } from 'kysely'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { badRequest, notFound } from '#platform/refusals.ts'
import { inlineBytes, type LongRows } from '#platform/http/long-rows.ts'
import type { ListOrder } from '#platform/http/order.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import { isResolvable } from '#planning/notes/resolvable.ts'
import { isResolved } from './resolve.ts'
import type { NoteRow } from '#planning/notes/entity.ts'
import type { Thread } from '#planning/notes/insert-note-row.ts'
import {
  noteStatements,
  longNotes,
  notesOn,
  type SingleNote,
  stillVisible,
  visibleNotes,
} from '#planning/notes/queries.ts'

/** In the order in which discussions started. */
export const discussionOrder: ListOrder = {
  of: 'Discussion',
  id: 'x.id',
  columns: { created_at: { column: 'x.created_at' } },
  by: 'created_at',
  sort: 'asc',
  statements: noteStatements,
}

/** The discussions on a noteable whose first note the viewer may see. @param onDiff only those on a diff */
export function discussionsOn(db: Db | Tx['db'], on: Noteable, onDiff = false) {
  return (
    visibleNotes(db, on)
      .select('x.discussion_id as id')
      // A literal, so that the planner can use the index over first notes.
      .where('x.starts_discussion', '=', sql.lit(true))
      .$if(onDiff, (q) => q.where('x.type', '=', 'DiffNote'))
  )
}

/** How many notes, of all discussions of a page, are read at once. */
const AT_ONCE = 500

/** The notes in discussions, as {@link sendLong} takes them: discussion by discussion, each in order. */
export async function notesIn(
  db: Db,
  on: Noteable,
  ids: readonly Buffer[],
  { withReactions = false }: { readonly withReactions?: boolean } = {},
): Promise<LongRows<SingleNote>> {
  const wanted = { ids, withReactions }
  const rows = ids.length === 0 ? [] : await someNotesIn(db, on, wanted)
  const more = rows.length < AT_ONCE ? undefined : () => notesAfter(db, on, wanted, rows)
  const { lacks } = longNotes(db, on)
  return {
    rows,
    more,
    lacks,
    whole: (some) =>
      inDiscussions(db, on, { withReactions }).where(isAnyOf('x.id', some)).where(stillVisible(on)).execute(),
  }
}

interface Wanted {
  /** Of the discussions. */
  readonly ids: readonly Buffer[]
  readonly withReactions: boolean
}

async function* notesAfter(
  db: Db,
  on: Noteable,
  wanted: Wanted,
  rows: readonly SingleNote[],
): AsyncIterable<readonly SingleNote[]> {
  for (let read = rows; read.length === AT_ONCE;) {
    const last = read.at(-1)
    if (last === undefined) return
    // The discussions before that of the last note are complete.
    const first = wanted.ids.findIndex((id) => id.equals(last.discussion_id))
    read = await someNotesIn(db, on, { ...wanted, ids: wanted.ids.slice(first) }, last)
    yield read
  }
}

/** @param last a note of the first discussion; the result starts after it. */
function someNotesIn(
  db: Db | Tx['db'],
  on: Noteable,
  { ids, withReactions }: Wanted,
  last?: SingleNote,
): Promise<SingleNote[]> {
  const container = sql`array_position(${[...ids]}::bytea[], x.discussion_id)`
  const notes = inDiscussions(db, on, { longest: inlineBytes(), withReactions })
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
  return noteStatements.run(db, notes)
}

interface Columns {
  readonly longest?: number
  readonly withReactions?: boolean
}

function inDiscussions(db: Db | Tx['db'], on: Noteable, { longest, withReactions = false }: Columns = {}) {
  return notesOn(db, on, longest)
    .select(['x.discussion_id', 'x.starts_discussion'])
    .$if(withReactions, (q) => q.select(reactionsToNote))
}

/** Counted, because a thousand people may react to a note. */
const reactionsToNote = sql<NonNullable<NoteRow['reactions']>>`coalesce((
  select json_agg(json_build_object('name', r.name, 'count', r.count, 'usernames', r.usernames) order by r.first)
    from (select a.name, count(*) as count, min(a.id) as first, (array_agg(u.username order by a.id))[:10] as usernames
      from award_emoji a join users u on u.id = a.user_id
      where a.note_id = x.id group by a.name order by min(a.id) limit 20) r), '[]')`.as('reactions')

/**
 * Finds the first note of a discussion, without its body, by the discussion's id in the API.
 * @throws 404 `Discussion Not Found`, also for an impossible id and when the viewer may not see the first note
 */
export async function findStart(db: Db | Tx['db'], on: Noteable, hex: string): Promise<SingleNote> {
  const start = inDiscussions(db, on, { longest: 0 })
    .where(sql<boolean>`x.discussion_id = ${bytesOf(hex)}::bytea`)
    .where('x.starts_discussion', '=', sql.lit(true))
  const [first] = await noteStatements.run(db, start)
  if (first === undefined) throw notFound('Discussion')
  return first
}

/**
 * The notes of one discussion by its id in the API.
 * @throws 404 as {@link findStart} does
 */
export async function findDiscussion(db: Db, on: Noteable, hex: string): Promise<LongRows<SingleNote>> {
  const notes = await notesIn(db, on, [bytesOf(hex)])
  // Viewers who may not see the first note see nothing of the discussion.
  if (!notes.rows[0]?.starts_discussion) throw notFound('Discussion')
  return notes
}

function bytesOf(hex: string): Buffer {
  if (!/^[0-9a-f]{40}$/.test(hex)) throw notFound('Discussion')
  return Buffer.from(hex, 'hex')
}

/**
 * Reads a discussion for a reply to it.
 * @throws 404, and 400 for a system note, which takes no replies
 */
export async function findThread(tx: Tx, on: Noteable, hex: string): Promise<Thread> {
  const first = await findStart(tx.db, on, hex)
  if (first.system) throw badRequest('system notes cannot have replies')
  return {
    id: first.discussion_id,
    internal: first.internal,
    individual: first.type === null,
    position: first.position,
    resolved: isResolvable(first, on.kind) && (await isResolved(tx, first.discussion_id)),
  }
}
