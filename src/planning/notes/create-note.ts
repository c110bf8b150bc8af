import { type Param, prepare } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { countNotes, countOf } from '#planning/noteables/count.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'

/** A discussion to reply to. */
export interface Thread {
  readonly id: Buffer
  readonly internal: boolean
  /** Whether it was a single note so far. */
  readonly individual: boolean
}

export interface CreatedNote {
  readonly body: string
  readonly internal?: boolean
  /** Only from callers who may set it. */
  readonly created_at?: string | undefined
  /** The discussion to reply to, or `new` to start one; without it the note stands alone. */
  readonly thread?: Thread | 'new' | undefined
}

/** Writes a comment as the transaction's author. The caller has checked their rights and read the body. */
export async function createNote(
  tx: Tx,
  on: Noteable,
  { body, internal = false, created_at, thread }: CreatedNote,
): Promise<{ id: number }> {
  if (tx.author === null) throw new Error('A note needs an author')
  const reply = typeof thread === 'object' ? thread : undefined
  if (reply?.individual) await makeThread(tx, reply)
  const made = created_at ?? tx.now
  const [note] = await insertion(tx.db, {
    on: on.id,
    author: tx.author.id,
    body,
    type: thread === undefined ? null : 'DiscussionNote',
    discussion: reply?.id ?? tx.random.bytes(20),
    starts: reply === undefined,
    internal,
    made,
  })
  if (note === undefined) throw new Error('No note was written')
  await countNotes(tx, on, countOf(internal, 1))
  record(tx, noteFact('note created', on, note.id, internal))
  return note
}

/** The columns of a new note. */
interface NoteValues {
  readonly on: number
  readonly author: number
  readonly body: string
  readonly type: 'DiscussionNote' | null
  readonly discussion: Buffer
  readonly starts: boolean
  readonly internal: boolean
  readonly made: string
}

const insertion = prepare((db, param: Param<NoteValues>) =>
  db
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
    .returning('id'),
)

/** Turns a single note into a discussion at its first reply. */
async function makeThread(tx: Tx, { id }: Thread): Promise<void> {
  await tx.db.updateTable('notes').set({ type: 'DiscussionNote' }).where('discussion_id', '=', id).execute()
}

/** The domain event of a note. */
export function noteFact<Name extends 'note created' | 'note changed' | 'note deleted'>(
  name: Name,
  { kind, id, container }: Noteable,
  noteId: number,
  internal: boolean,
) {
  return {
    name,
    namespace: container.namespace.namespace_id,
    target: { type: 'Note', id: noteId },
    details: { noteable_type: kind.type, noteable_id: id, internal },
  }
}
