import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { record } from '#platform/facts/record.ts'
import { aboutIssue, naming } from '../facts-about.ts'
import type { LinkRow } from './queries.ts'

/** Removes a link from both of its issues. @throws 404 when another request just did. */
export async function unlinkIssues(tx: Tx, { id, source, target }: LinkRow): Promise<void> {
  await tx.db
    .deleteFrom('issue_links')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirstOrThrow(() => notFound())
  const name = 'issue unlinked'
  record(
    tx,
    { ...aboutIssue(source), name, details: naming(target, source) },
    { ...aboutIssue(target), name, details: naming(source, target) },
  )
}
