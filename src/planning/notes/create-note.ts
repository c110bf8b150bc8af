import { type Param, prepare } from '#platform/db/prepare.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { built, type BuiltKind, type NoteCount } from '#planning/noteables/built.ts'
import { noteables } from '#planning/noteables/noteables.ts'

/** What a note is put on; its row is locked (find-noteable.ts). */
export interface Place {
  readonly kind: BuiltKind
  readonly id: number
  readonly door: { readonly place: { readonly namespace_id: number } }
}

/** A discussion to reply to. */
export interface Thread {
  readonly id: Buffer
  readonly internal: boolean
  /** Whether it is a note that stood alone so far. */
  readonly individual: boolean
}

export interface CreatedNote {
  readonly body: string
  readonly internal?: boolean
  /** Only from those entitled. */
  readonly created_at?: string | undefined
  /** The one to reply to, or `new` to start one; without it the note stands alone. */
  readonly thread?: Thread | 'new' | undefined
}

/** Writes a comment by the transaction's author. Whether they may, and what is in the body, has been asked before. */
export async function createNote(
  tx: Tx,
  on: Place,
  { body, internal = false, created_at, thread }: CreatedNote,
): Promise<{ id: number }> {
  if (tx.author === null) throw new Error('A note needs an author')
  const reply = typeof thread === 'object' ? thread : undefined
  if (reply?.individual) await makeThread(tx, reply)
  const made = created_at ?? tx.now
  const [note] = await insertions[on.kind](tx.db, {
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
  await built[on.kind].countNotes(tx, on.id, countOf(internal, 1))
  record(tx, noteFact('note created', on, note.id, internal))
  return note
}

/** What is written of a note. */
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

const insertion = (kind: BuiltKind) =>
  prepare((db, param: Param<NoteValues>) =>
    db
      .insertInto('notes')
      .values({
        [noteables[kind].column]: param('on'),
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

const insertions: Readonly<Record<BuiltKind, ReturnType<typeof insertion>>> = { issue: insertion('issue') }

/** A note that stood alone starts the discussion of its first reply. */
async function makeThread(tx: Tx, { id }: Thread): Promise<void> {
  await tx.db.updateTable('notes').set({ type: 'DiscussionNote' }).where('discussion_id', '=', id).execute()
}

export const countOf = (internal: boolean, by: 1 | -1): NoteCount =>
  internal ? { open: 0, internal: by } : { open: by, internal: 0 }

/** What is recorded of a note. */
export function noteFact<Name extends 'note created' | 'note changed' | 'note deleted'>(
  name: Name,
  { kind, id, door }: Place,
  noteId: number,
  internal: boolean,
) {
  return {
    name,
    namespace: door.place.namespace_id,
    target: { type: 'Note', id: noteId },
    details: { noteable_type: noteables[kind].type, noteable_id: id, internal },
  }
}
