import { defined } from '#platform/defined.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { CommandsChanges } from '#planning/quick-actions/entity.ts'
import { forbidden } from '#platform/refusals.ts'
import { type IssueChanges, metadata } from './changes.ts'
import type { LockedIssue } from './lock-issue.ts'
import type { IssueChangeRequest } from './changes.ts'

type Owned = Pick<LockedIssue, 'author_id' | 'assignees'>

interface User {
  readonly id: number
}

/** The fields of an issue, as looked up or as requests name them. */
type Field = keyof IssueChanges | keyof IssueChangeRequest | keyof CommandsChanges

/**
 * Whether a user may change these fields of an issue. The author and the assignees may reword, close and reopen it;
 * everything else needs `admin_issue`.
 */
export function mayChange(
  { can }: AuthorizedProject,
  issue: Owned,
  user: User,
  fields: readonly Field[],
): boolean {
  return can('admin_issue') || (isOwn(issue, user) && !metadata.some((name) => fields.includes(name)))
}

const isOwn = ({ author_id, assignees }: Owned, user: User): boolean =>
  author_id === user.id || assignees.some(({ id }) => id === user.id)

/**
 * The requested changes that a user may make, for an issue that passed {@link assertMayChangeIssue}. Clients send whole
 * objects back, so changes that an author or assignee may not make are left out, not refused.
 */
export const permittedAtAll = ({ can }: AuthorizedProject, asked: IssueChangeRequest): IssueChangeRequest =>
  can('admin_issue') ? asked : withoutMetadata(asked)

/** @throws 403 for a user who may change nothing of the issue */
export function assertMayChangeIssue({ can }: AuthorizedProject, issue: Owned, user: User): void {
  if (!can('admin_issue') && !isOwn(issue, user)) throw forbidden()
}

/** The same for an issue that is being opened. */
export function permittedAtOpening(
  { can }: AuthorizedProject,
  asked: IssueChangeRequest,
): IssueChangeRequest {
  if (can('plan_new_issue')) return asked
  const { issue_type, confidential } = asked
  // Everybody may open a confidential issue.
  return defined({
    ...withoutMetadata(asked),
    issue_type,
    confidential,
  })
}

function withoutMetadata({ title, description, state_event }: IssueChangeRequest): IssueChangeRequest {
  return defined({
    title,
    description,
    state_event,
  })
}
