import type { FastifyRequest } from 'fastify'
import type { Tx } from '#db/transaction.ts'
import { built } from '#noteables/built.ts'
import type { Noteable } from '#noteables/find-noteable.ts'
import type { NewNote } from '#noteables/schema.ts'
import { createNote, type Thread } from './create-note.ts'
import type { CommandsChanges, CommandsOnly, NoteRow } from './entity.ts'
import { demandMayComment } from './policy.ts'
import { findNote, type SingleNote } from './queries.ts'

/** What became of a body that somebody sent. */
export type Written =
  /** A note, and what commands in it changed. */
  | { readonly kind: 'note'; readonly note: SingleNote; readonly commands: CommandsChanges }
  /** No note: the body had nothing but commands. */
  | { readonly kind: 'commands'; readonly answer: CommandsOnly }

/** The request of whoever writes. */
export type Writing = Pick<FastifyRequest, 'viewer' | 'site' | 'user' | 'server'>

/** Notes are limited by the minute. */
const MINUTE = 60

/**
 * The one place where what people send becomes a note, or something else: asks whether they may, counts it, reads the
 * body, and writes.
 *
 * @param thread the discussion to reply to, or `new` to start one.
 * @throws 403 for those who may not, 429 past the limit of a minute
 */
export async function writeNote(
  tx: Tx,
  req: Writing,
  on: Noteable,
  asked: NewNote,
  thread?: Thread | 'new',
): Promise<Written> {
  const internal =
    typeof thread === 'object' ? thread.internal : (asked.internal ?? asked.confidential ?? false)
  demandMayComment(on, internal)
  await countAgainstLimit(req)
  const { body } = asked
  const created_at = on.door.can('set_created_at') ? asked.created_at : undefined
  const { id } = await createNote(tx, on, { body, internal, created_at, thread })
  await tellNamed(tx, req, on, { id, body, internal })
  return { kind: 'note', note: await findNote(tx.db, on, id), commands: {} }
}

async function countAgainstLimit(req: Writing): Promise<void> {
  const { limits, settings } = req.server.services
  const { notes_create_limit: points } = settings()
  if (points > 0) await limits.take('notes', req.user().id, { points, seconds: MINUTE })
}

/** Keeps who and what is named in a note. */
export async function tellNamed(
  tx: Tx,
  writer: Pick<Writing, 'viewer' | 'site'>,
  on: Noteable,
  { id, body, internal }: Pick<NoteRow, 'id' | 'body' | 'internal'>,
  changed = false,
): Promise<void> {
  const told = { on, place: on.door.place, noteId: id, internal, changed }
  await built[on.kind].recordMentions(tx, writer, told, body)
}
