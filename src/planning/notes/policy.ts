import { levels } from '#platform/access/roles.ts'
import { forbidden } from '#platform/http/errors.ts'
import type { Noteable } from '#planning/noteables/find-noteable.ts'
import type { NoteRow } from './entity.ts'

/**
 * Where a discussion is locked only members speak, and internally only those who read all that is internal.
 * @throws 403
 */
export function assertMayComment({ container, locked }: Noteable, internal: boolean): void {
  const { admin, level } = container.accessContext
  if (locked && !admin && level < levels.guest) throw forbidden()
  if (internal && !container.may('readInternalNotes')) throw forbidden()
}

/**
 * People change and delete what they wrote, maintainers what anybody wrote, and nobody the records of the system.
 * @throws 403
 */
export function assertMayChange(
  on: Noteable,
  note: Pick<NoteRow, 'author_id' | 'system'>,
  user: { readonly id: number },
): void {
  if (note.system) throw forbidden()
  if (note.author_id !== user.id && !on.container.may('adminNotes')) throw forbidden()
  assertMayComment(on, false)
}
