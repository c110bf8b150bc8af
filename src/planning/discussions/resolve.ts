import type { FastifyRequest } from 'fastify'
import { sql } from 'kysely'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { forbidden } from '#platform/refusals.ts'
import { assertUnmodified } from '#platform/http/preconditions.ts'
import type { Caller } from '#planning/noteables/containers.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import { touch } from '#planning/noteables/touch.ts'
import type { NoteReference } from '#planning/notes/change-note.ts'
import { noteFact } from '#planning/notes/insert-note-row.ts'
import { findNote, type SingleNote } from '#planning/notes/queries.ts'
import { isResolvable } from '#planning/notes/resolvable.ts'

/** Whether every note of a thread is resolved. */
export async function isResolved(tx: Tx, discussionId: Buffer): Promise<boolean> {
  const open = await tx.db
    .selectFrom('notes')
    .select('id')
    .where('discussion_id', '=', discussionId)
    .where('resolved_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return open === undefined
}

/**
 * Resolves all notes of a thread, or opens them again.
 * @throws 403 for callers who may not, and for a single note, which is no thread.
 */
export async function resolveThread(
  tx: Tx,
  caller: Caller,
  on: Noteable,
  first: SingleNote,
  resolved: boolean,
): Promise<void> {
  await assertMayResolve(tx, caller, on, first)
  const { rows } = await sql<{ id: number }>`
    update notes set resolved_at = ${resolved ? tx.now : null}::timestamptz, resolved_by_id = ${by(tx, resolved)}::bigint
    where discussion_id = ${first.discussion_id} and (resolved_at is null) = ${resolved}
    returning id`.execute(tx.db)
  if (rows.length > 0) await settle(tx, on, first, resolved)
}

/**
 * The same for one note.
 * @throws 404, 403, 412
 */
export async function resolveNote(
  tx: Tx,
  req: FastifyRequest,
  on: Noteable,
  { id, discussionId }: NoteReference,
  resolved: boolean,
): Promise<SingleNote> {
  const note = await findNote(tx.db, on, id, discussionId)
  await assertMayResolve(tx, req, on, note)
  assertUnmodified(req, note.updated_at)
  if (Boolean(note.resolution) === resolved) return note
  await tx.db
    .updateTable('notes')
    .set({ resolved_at: resolved ? tx.now : null, resolved_by_id: by(tx, resolved) })
    .where('id', '=', id)
    .execute()
  await settle(tx, on, note, resolved)
  return findNote(tx.db, on, id)
}

const by = ({ author }: Tx, resolved: boolean): number | null => (resolved ? (author?.id ?? null) : null)

type Resolvable = Pick<SingleNote, 'type' | 'system'>

/** Whether the caller may resolve a note and the thread of which it is. */
export async function mayResolve(tx: Tx, caller: Caller, on: Noteable, note: Resolvable): Promise<boolean> {
  return isResolvable(note, on.kind) && Boolean(await on.kind.resolving?.may(tx, on, caller))
}

/** @throws 403 unless {@link mayResolve} */
export async function assertMayResolve(
  tx: Tx,
  caller: Caller,
  on: Noteable,
  note: Resolvable,
): Promise<void> {
  if (!(await mayResolve(tx, caller, on, note))) throw forbidden()
}

/** Says that the noteable has changed, and whether none of its threads is left to resolve. */
async function settle(tx: Tx, on: Noteable, { id, internal }: SingleNote, resolved: boolean): Promise<void> {
  await touch(tx, on.id)
  record(tx, noteFact(resolved ? 'thread resolved' : 'thread reopened', on, id, internal))
  if (!resolved || on.kind.resolving === undefined) return
  const left = await tx.db
    .selectFrom('notes')
    .select('id')
    .where('noteable_id', '=', on.id)
    .where('type', 'is not', null)
    .where('resolved_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (left !== undefined) return
  const target = { id: on.id, namespace_id: on.container.namespace.namespace_id }
  record(tx, on.kind.resolving.allResolved(target))
}
