import type { AuthorizedProject } from '#platform/access/authorize.ts'
import { forbidden } from '#platform/refusals.ts'
import { type MergeRequestChangeRequest, metadata } from './changes.ts'
import type { MergeRequestRow } from './queries.ts'

type Owned = Pick<MergeRequestRow, 'author_id' | 'assignees'>

interface User {
  readonly id: number
}

const isOwn = ({ author_id, assignees }: Owned, user: User): boolean =>
  author_id === user.id || assignees.some(({ id }) => id === user.id)

/**
 * Whether a user may change these fields. The author and the assignees may reword, retarget, close and reopen a merge
 * request; everything else needs `admin_merge_request`.
 */
export function mayChange(
  { can }: Pick<AuthorizedProject, 'can'>,
  mergeRequest: Owned,
  user: User,
  fields: readonly string[],
): boolean {
  return (
    can('admin_merge_request') ||
    (isOwn(mergeRequest, user) && !metadata.some((name) => fields.includes(name)))
  )
}

/** @throws 403 for a user who may change nothing of the merge request */
export function assertMayChangeMergeRequest(
  { can }: Pick<AuthorizedProject, 'can'>,
  mergeRequest: Owned,
  user: User,
): void {
  if (!can('admin_merge_request') && !isOwn(mergeRequest, user)) throw forbidden()
}

/**
 * The requested changes that a user may make. Clients send whole objects back, so what an author may not change is left
 * out, not refused.
 */
export function permitted(
  { can }: Pick<AuthorizedProject, 'can'>,
  asked: MergeRequestChangeRequest,
): MergeRequestChangeRequest {
  if (can('admin_merge_request')) return asked
  const plain = Object.entries(asked).filter(([name]) => !metadata.some((one) => one === name))
  return Object.fromEntries(plain)
}
