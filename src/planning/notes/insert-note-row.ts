import { sql } from 'kysely'
import { type Params, statement } from '#platform/db/statement.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { onlyOne } from '#platform/sequences.ts'
import { countNotes, countOf } from '#planning/noteables/count.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NotePosition } from '#planning/noteables/position.ts'
import type { NewSuggestion, Suggestion } from '#planning/noteables/suggesting.ts'
import { authorOf, type Resolution } from './entity.ts'
import { discussionColumns, noteColumns, type SingleNote } from './queries.ts'

/** A discussion to reply to. */
export interface Thread {
  readonly id: Buffer
  readonly internal: boolean
  /** Whether it was a single note so far. */
  readonly individual: boolean
  /** Where its notes stand on a diff. */
  readonly position?: NotePosition | null | undefined
  /** Whether all its notes are resolved. A reply leaves it so. */
  readonly resolved: boolean
}

export interface NewNoteRow {
  readonly body: string
  readonly internal?: boolean
  /** Only from callers who may set it. */
  readonly created_at?: string | undefined
  /** The discussion to reply to, or `new` to start one; without it the note stands alone. */
  readonly thread?: Thread | 'new' | undefined
  /** Where it stands on a diff. Replies stand where their discussion does. */
  readonly position?: NotePosition | undefined
  /** What it suggests instead of the lines there. */
  readonly suggested?: readonly NewSuggestion[] | undefined
}

/**
 * Writes a comment as the transaction's author, in one statement. The caller has checked their rights and read the
 * body. The comment is counted at the end of the transaction, so whoever comments next waits only from there to the commit.
 */
export async function insertNoteRow(
  tx: Tx,
  on: Noteable,
  { body, internal = false, created_at, thread, position: asked, suggested = [] }: NewNoteRow,
): Promise<SingleNote> {
  if (tx.author === null) throw new Error('A note needs an author')
  const reply = typeof thread === 'object' ? thread : undefined
  if (reply?.individual) await turnIntoThread(tx, reply)
  const position = asked ?? reply?.position ?? undefined
  const made = created_at ?? tx.now
  const inserted = await insertStatement(tx.db, {
    on: on.id,
    author: tx.author.id,
    body,
    type: position !== undefined ? 'DiffNote' : thread === undefined ? null : 'DiscussionNote',
    discussion: reply?.id ?? tx.random.bytes(20),
    starts: reply === undefined,
    internal,
    made,
  })
  const note = onlyOne(inserted)
  // Before facts are written: everybody else has the noteable's row by then.
  tx.beforeCommit(() => countNotes(tx, on.id, countOf(internal, 1)))
  record(tx, noteFact('note created', on, note.id, internal))
  if (position !== undefined) await placeNote(tx, note.id, position)
  const resolution = reply?.resolved ? await resolveReply(tx, note) : null
  const suggestions = suggested.length === 0 ? null : await suggest(tx, on, note.id, suggested)
  return { ...note, ...(position && { position }), suggestions, resolution }
}

/** Writes what a note suggests. @returns it as notes show it */
async function suggest(
  tx: Tx,
  on: Noteable,
  noteId: number,
  suggested: readonly NewSuggestion[],
): Promise<readonly Suggestion[] | null> {
  const { suggesting } = on.kind
  if (suggesting === undefined) return null
  await suggesting.write(tx, on, noteId, suggested)
  const { rows } = await sql<{ suggestions: readonly Suggestion[] | null }>`
    select ${suggesting.of(sql`${noteId}::bigint`)} as suggestions`.execute(tx.db)
  return rows[0]?.suggestions ?? null
}

/** Resolves a reply to a thread that is resolved. */
async function resolveReply(tx: Tx, note: SingleNote): Promise<Resolution> {
  await tx.db
    .updateTable('notes')
    .set({ resolved_at: tx.now, resolved_by_id: note.author_id })
    .where('id', '=', note.id)
    .execute()
  return { at: tx.now, by: authorOf(note) }
}

async function placeNote(tx: Tx, note_id: number, position: NotePosition): Promise<void> {
  await tx.db
    .insertInto('note_positions')
    .values({ note_id, position: JSON.stringify(position) })
    .execute()
}

/** The columns of a new note. */
interface NoteValues {
  readonly on: number
  readonly author: number
  readonly body: string
  readonly type: 'DiscussionNote' | 'DiffNote' | null
  readonly discussion: Buffer
  readonly starts: boolean
  readonly internal: boolean
  readonly made: string
}

const insertStatement = statement({
  name: 'insert note',
  build: (db, param: Params<NoteValues>) =>
    db
      .with('x', (query) =>
        query
          .insertInto('notes')
          .values({
            noteable_id: param('on'),
            author_id: param('author'),
            body: param('body'),
            type: param('type'),
            discussion_id: param('discussion'),
            starts_discussion: param('starts'),
            internal: param('internal'),
            created_at: param('made'),
            updated_at: param('made'),
          })
          .returning([
            'id',
            'type',
            'body',
            'system',
            'internal',
            'created_at',
            'updated_at',
            'author_id',
            'discussion_id',
            'starts_discussion',
          ]),
      )
      .selectFrom('x')
      .innerJoin('users as u', 'u.id', 'x.author_id')
      .select(noteColumns())
      .select(discussionColumns),
})

/** Turns a single note into a discussion at its first reply. */
async function turnIntoThread(tx: Tx, { id }: Thread): Promise<void> {
  await tx.db.updateTable('notes').set({ type: 'DiscussionNote' }).where('discussion_id', '=', id).execute()
}

/** The domain event of a note. */
export function noteFact<
  Name extends 'note created' | 'note changed' | 'note deleted' | 'thread resolved' | 'thread reopened',
>(name: Name, { kind, id, container }: Noteable, noteId: number, internal: boolean) {
  return {
    name,
    namespace: container.namespace.namespace_id,
    target: { type: 'Note', id: noteId },
    details: { noteable_type: kind.type, noteable_id: id, internal },
  }
}
