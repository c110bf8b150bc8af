import type { ProjectDoor } from '#access/doors.ts'
import { forbidden } from '#http/errors.ts'
import { metadata } from './changes.ts'
import type { IssueRow } from './queries.ts'

/**
 * An author and the assignees may reword, close and reopen an issue; everything else is for those who administrate
 * issues.
 * @throws 403
 */
export function demandMayChange(
  { can }: ProjectDoor,
  issue: Pick<IssueRow, 'author_id' | 'assignees'>,
  user: { readonly id: number },
  changes: Readonly<Partial<Record<(typeof metadata)[number], unknown>>>,
): void {
  if (can('admin_issue')) return
  const own = issue.author_id === user.id || issue.assignees.some(({ id }) => id === user.id)
  if (!own || metadata.some((name) => changes[name] !== undefined)) throw forbidden()
}
