import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { record } from '#platform/facts/record.ts'
import { invalid, notFound } from '#platform/refusals.ts'
import type { ErrorRow } from './entity.ts'
import { findError, lockError } from './queries.ts'

export interface ErrorChanges {
  readonly status?: 'unresolved' | 'resolved' | 'ignored'
  readonly resolved_in_release?: string
  /** The issue to link to; null for none. */
  readonly issue_iid?: number | null
}

/**
 * Changes what people say of an error, where it differs.
 * @throws 404 when the error or the issue is not there, 400 for a release without `resolved`
 */
export async function changeError(
  tx: Tx,
  project: AuthorizedProject,
  errorId: number,
  { status, resolved_in_release: release, issue_iid }: ErrorChanges,
): Promise<ErrorRow> {
  if (release !== undefined && status !== 'resolved')
    throw invalid({ resolved_in_release: ['needs the status resolved'] })
  const { id: projectId, namespace_id } = project.container
  const issueId = typeof issue_iid === 'number' ? await lockIssueFor(tx, project, issue_iid) : null
  const error = await lockError(tx, projectId, errorId)
  const links = issue_iid !== undefined && issue_iid !== error.issue_iid
  const isOther =
    status !== undefined &&
    (status !== error.status || (status === 'resolved' && (release ?? null) !== error.resolved_in_release))
  if (!links && !isOther) return error
  await tx.db
    .updateTable('errors')
    .set({
      ...(links && { issue_id: issueId }),
      ...(isOther && {
        status,
        resolved_in_release: release ?? null,
        status_changed_at: tx.now,
        status_changed_by_id: tx.author?.id ?? null,
      }),
    })
    .where('id', '=', errorId)
    .execute()
  if (isOther) recordStatus(tx, { namespace: namespace_id, error, status, release: release ?? null })
  return findError(tx.db, projectId, errorId)
}

/** Finds the issue, which nobody can delete until the transaction ends. @throws 404 */
async function lockIssueFor(tx: Tx, { container, can }: AuthorizedProject, iid: number): Promise<number> {
  const issue = can('read_issue')
    ? await tx.db
        .selectFrom('issues')
        .select('id')
        .where('project_id', '=', container.id)
        .where('iid', '=', iid)
        .forKeyShare()
        .executeTakeFirst()
    : undefined
  if (issue === undefined) throw notFound('Issue')
  return issue.id
}

interface StatusChange {
  readonly namespace: number
  readonly error: ErrorRow
  readonly status: NonNullable<ErrorChanges['status']>
  readonly release: string | null
}

function recordStatus(tx: Tx, { namespace, error: { id, title }, status, release }: StatusChange): void {
  const about = { namespace, target: { type: 'Error', id } }
  if (status === 'resolved') record(tx, { ...about, name: 'error resolved', details: { title, release } })
  else if (status === 'ignored') record(tx, { ...about, name: 'error ignored', details: { title } })
  else record(tx, { ...about, name: 'error unresolved', details: { title } })
}
