import type { ProjectDoor } from '#access/doors.ts'
import { forbidden } from '#http/errors.ts'
import { type IssueChanges, metadata } from './changes.ts'
import type { IssueRow } from './queries.ts'
import type { AskedChanges } from './resolve-changes.ts'

type Owned = Pick<IssueRow, 'author_id' | 'assignees'>

interface User {
  readonly id: number
}

/** As looked up, or as requests name it. */
type Field = keyof IssueChanges | keyof AskedChanges

/**
 * Whether somebody may change these of an issue's fields: an author and the assignees may reword, close and reopen it;
 * everything else is for those who administrate issues.
 */
export function mayChange({ can }: ProjectDoor, issue: Owned, user: User, fields: readonly Field[]): boolean {
  if (can('admin_issue')) return true
  const own = issue.author_id === user.id || issue.assignees.some(({ id }) => id === user.id)
  return own && !metadata.some((name) => fields.includes(name))
}

/** @throws 403 where {@link mayChange} says no. */
export function demandMayChange(
  door: ProjectDoor,
  issue: Owned,
  user: User,
  changes: Readonly<Partial<Record<Field, unknown>>>,
): void {
  const fields = metadata.filter((name) => changes[name] !== undefined)
  if (!mayChange(door, issue, user, fields)) throw forbidden()
}
