import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { aboutIssue, naming } from '../facts-about.ts'
import type { IssueRow } from '../queries.ts'
import { linkIssues } from './link-issues.ts'
import { areLinked } from './named.ts'

type Marked = Pick<IssueRow, 'id' | 'iid' | 'namespace_id' | 'full_path'>

/**
 * Says that an issue repeats another one, and links both. Closing it is another change.
 * @throws 422 as {@link linkIssues} does
 */
export async function markDuplicate(tx: Tx, issue: Marked, original: Marked): Promise<void> {
  if (!(await areLinked(tx, issue.id, original.id))) await linkIssues(tx, issue, original, 'relates_to')
  record(
    tx,
    { ...aboutIssue(issue), name: 'issue marked as duplicate', details: naming(original, issue) },
    { ...aboutIssue(original), name: 'issue has duplicate', details: naming(issue, original) },
  )
}
