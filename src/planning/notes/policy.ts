import { levels } from '#platform/access/roles.ts'
import { forbidden } from '#platform/refusals.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NoteRow } from './entity.ts'

/**
 * In a locked discussion only members may comment. Internal comments need the right to read other people's.
 * @throws 403
 */
export function assertMayComment({ container, locked }: Noteable, internal: boolean): void {
  const { admin, level } = container.accessContext
  if (locked && !admin && level < levels.guest) throw forbidden()
  if (internal && !container.may('readInternalNotes')) throw forbidden()
}

/**
 * People may change and delete their own notes, maintainers everybody's, and nobody system notes.
 * @throws 403
 */
export function assertMayChangeNote(
  on: Noteable,
  note: Pick<NoteRow, 'author_id' | 'system'>,
  user: { readonly id: number },
): void {
  if (note.system) throw forbidden()
  if (note.author_id !== user.id && !on.container.may('adminNotes')) throw forbidden()
  assertMayComment(on, false)
}
