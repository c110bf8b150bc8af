import { levels } from '#platform/access/roles.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import type { AuthorizedNoteableContainer } from '#planning/noteables/containers.ts'
import { noteableOf, type NoteableRequest } from '#planning/noteables/find-noteable.ts'
import type { NoteableKind } from '#planning/noteables/kind.ts'
import { noteStatements, visibleNotes } from '#planning/notes/queries.ts'
import { type Awardable, awardableNote, awardableNoteable } from './awardables.ts'

/** The noteable or note that a path names. */
export interface AwardTarget extends Awardable {
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
): Promise<AwardTarget> {
  const on = await noteableOf(req, kind)
  const { namespace_id } = on.container.namespace
  if (noteId === null)
    return { ...awardableNoteable(kind, { id: on.id, namespace_id }), locked: on.locked, system: false }
  const query = visibleNotes(db, on).select(['x.id', 'x.system']).where('x.id', '=', noteId)
  const [note] = await noteStatements.run(db, query)
  if (note === undefined) throw notFound('Note')
  return { ...awardableNote({ id: note.id, namespace_id }), locked: on.locked, system: note.system }
}

/**
 * @throws 404 for system notes, as clients expect; 403 for users who are not members where the discussion is locked.
 */
export function assertAwardable(
  { locked, system }: AwardTarget,
  { accessContext }: AuthorizedNoteableContainer,
): void {
  if (system) throw notFound('Award Emoji Awardable cannot be awarded emoji')
  if (locked && !accessContext.admin && accessContext.level < levels.guest) throw forbidden()
}
