import type { Tx } from '#db/transaction.ts'
import { record } from '#facts/record.ts'
import type { IssueRow } from './queries.ts'

/** Removes an issue with everything that hangs on it. Its number is not given out again. */
export async function deleteIssue(
  tx: Tx,
  { id, namespace_id, iid, title }: Pick<IssueRow, 'id' | 'namespace_id' | 'iid' | 'title'>,
): Promise<void> {
  await tx.db.deleteFrom('issues').where('id', '=', id).execute()
  record(tx, {
    name: 'issue deleted',
    namespace: namespace_id,
    target: { type: 'Issue', id },
    details: { iid, title },
  })
}
