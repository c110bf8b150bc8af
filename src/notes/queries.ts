import { sql } from 'kysely'
import type { Db } from '#db/pool.ts'
import type { Tx } from '#db/transaction.ts'
import { notFound } from '#http/errors.ts'
import type { ListOrder } from '#http/order.ts'
import type { Noteable } from '#noteables/find-noteable.ts'
import { noteables } from '#noteables/noteables.ts'
import type { NoteRow } from './entity.ts'
import { noteVisibleTo } from './visible.ts'

export const noteOrder: ListOrder = {
  of: 'Note',
  id: 'x.id',
  columns: { created_at: { column: 'x.created_at' }, updated_at: { column: 'x.updated_at' } },
  by: 'created_at',
  sort: 'desc',
}

/** The notes on something that the viewer may see there, without columns. */
export function visibleNotes(db: Db | Tx['db'], { kind, id, viewer, door, mentioned }: Noteable) {
  return db
    .selectFrom('notes as x')
    .where(`x.${noteables[kind].column}`, '=', id)
    .where(noteVisibleTo(viewer, door.can('read_internal_note'), 'x', mentioned))
}

/** The same with their authors: all that presenters need. */
export function notesOn(db: Db | Tx['db'], on: Noteable) {
  return (
    visibleNotes(db, on)
      // A left join costs nothing where its columns are not used, as in totals. There always is an author.
      .leftJoin('users as u', 'u.id', 'x.author_id')
      .select([
        'x.id',
        'x.type',
        'x.body',
        'x.system',
        'x.internal',
        'x.created_at',
        'x.updated_at',
        'x.author_id',
      ])
      .select((eb) => [
        eb.ref('u.username').$notNull().as('author_username'),
        eb.ref('u.name').$notNull().as('author_name'),
        eb.ref('u.email').$notNull().as('author_email'),
        'u.public_email as author_public_email',
        eb.ref('u.state').$notNull().as('author_state'),
        eb.ref('u.created_at').$notNull().as('author_created_at'),
      ])
  )
}

type NoteQuery = ReturnType<typeof notesOn>

export const activityFilters = ['all_notes', 'only_comments', 'only_activity'] as const

/** Only what people wrote, or only the records of what they changed. */
export function filterNotes(
  query: NoteQuery,
  { activity_filter = 'all_notes' }: { readonly activity_filter?: (typeof activityFilters)[number] },
): NoteQuery {
  return activity_filter === 'all_notes'
    ? query
    : query.where('x.system', '=', activity_filter === 'only_activity')
}

/** One note, with its place in a discussion. */
export interface SingleNote extends NoteRow {
  readonly discussion_id: Buffer
  readonly starts_discussion: boolean
}

/**
 * One note on something by its id, of a discussion when one is named.
 * @throws 404 `Note Not Found`
 */
export async function findNote(
  db: Db | Tx['db'],
  on: Noteable,
  id: number,
  discussionId?: Buffer,
): Promise<SingleNote> {
  const note = await notesOn(db, on)
    .select(['x.discussion_id', 'x.starts_discussion'])
    .where('x.id', '=', id)
    .$if(discussionId !== undefined, (q) =>
      q.where(sql<boolean>`x.discussion_id = ${discussionId ?? null}::bytea`),
    )
    .executeTakeFirst()
  if (note === undefined) throw notFound('Note')
  return note
}
