import type { Tx } from '#db/transaction.ts'
import { notFound } from '#http/errors.ts'
import { recordAcross } from '../record-across.ts'
import { referenceFrom } from '../reference.ts'
import type { LinkRow } from './queries.ts'

/** Takes a link away from both of its issues. @throws 404 when somebody else just did. */
export async function unlinkIssues(tx: Tx, { id, source, target }: LinkRow): Promise<void> {
  const gone = await tx.db.deleteFrom('issue_links').where('id', '=', id).returning('id').executeTakeFirst()
  if (gone === undefined) throw notFound()
  const fact = (issue: LinkRow['source'], other: LinkRow['source']) => ({
    name: 'issue unlinked' as const,
    namespace: issue.namespace_id,
    target: { type: 'Issue', id: issue.id },
    details: { issue_id: other.id, reference: referenceFrom(issue, other) },
  })
  await recordAcross(tx, [fact(source, target), fact(target, source)])
}
