import { levels } from '#platform/access/roles.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound } from '#platform/http/errors.ts'
import type { AuthorizedNoteableContainer } from '#planning/noteables/containers.ts'
import { findNoteable, findWithNote, type NoteableRequest } from '#planning/noteables/find-noteable.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { type Awardable, awardableNote, awardableNoteable } from './awardables.ts'

/** The noteable or note that a path names. */
export interface Target extends Awardable {
  /** Whether only members may take part in the discussion. */
  readonly locked: boolean
  /** Whether it is a system note, which takes no awards. */
  readonly system: boolean
}

/** @throws 404 `<Type> Not Found` or `Note Not Found` when it does not exist or the caller may not see it. */
export async function findTarget(
  db: Db | Tx['db'],
  req: NoteableRequest,
  kind: NoteableKind,
  noteId: number | null,
): Promise<Target> {
  if (noteId === null) {
    const { id, locked, container } = await findNoteable(db, req, kind)
    const { namespace_id } = container.namespace
    return { ...awardableNoteable(kind, { id, namespace_id }), locked, system: false }
  }
  const { note, locked, container } = await findWithNote(db, req, kind, noteId)
  if (note === null) throw notFound('Note')
  const { namespace_id } = container.namespace
  return { ...awardableNote({ id: note.id, namespace_id }), locked, system: note.system }
}

/**
 * @throws 404 for system notes, as clients expect; 403 for users who are not members where the discussion is locked.
 */
export function assertAwardable(
  { locked, system }: Target,
  { accessContext }: AuthorizedNoteableContainer,
): void {
  if (system) throw notFound('Award Emoji Awardable cannot be awarded emoji')
  if (locked && !accessContext.admin && accessContext.level < levels.guest) throw forbidden()
}
