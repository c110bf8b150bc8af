import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { removeLater } from '#planning/noteables/remove-later.ts'
import type { IssueRow } from './queries.ts'
import { issueIdentity } from './identity.ts'

/**
 * Deletes an issue. From now on nobody sees it, and a job removes it with everything that belongs to it, which may be a
 * lot. Its number is not used again.
 */
export async function deleteIssue(
  tx: Tx,
  { id, namespace_id, iid, title }: Pick<IssueRow, 'id' | 'namespace_id' | 'iid' | 'title'>,
): Promise<void> {
  await removeLater(tx, issueIdentity, id)
  record(tx, {
    name: 'issue deleted',
    namespace: namespace_id,
    target: { type: 'Issue', id },
    details: { iid, title },
  })
}
