import { defined } from '#platform/defined.ts'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { resolveChanges } from '#planning/issues/resolve-changes.ts'
import { readersAmong } from '#planning/noteables/items/readers-among.ts'
import type { MergeRequestChangeRequest, MergeRequestChanges } from './changes.ts'

/**
 * Looks up what a request names, as for issues: labels, people, a milestone. Nothing that it finds can go away before the
 * transaction ends.
 */
export async function resolveMergeRequestChanges(
  tx: Tx,
  authorized: AuthorizedProject,
  { reviewer_ids, ...asked }: MergeRequestChangeRequest,
): Promise<MergeRequestChanges> {
  const reviewers = reviewer_ids === undefined ? undefined : await readersAmong(tx, authorized, reviewer_ids)
  const {
    target_branch,
    remove_source_branch,
    allow_collaboration,
    squash,
    merge_after,
    approvals_required,
  } = asked
  return defined({
    ...(await resolveChanges(tx, authorized, asked)),
    target_branch,
    remove_source_branch,
    allow_collaboration,
    squash,
    merge_after,
    approvals_required,
    reviewer_ids: reviewers,
  })
}
