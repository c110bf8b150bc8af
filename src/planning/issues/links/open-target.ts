import {
  type AuthorizedProject,
  authorizeNamedProject,
  authorizeProject,
} from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden } from '#platform/refusals.ts'
import { findIssue, type IssueRow } from '../queries.ts'
import type { LinkRow } from './queries.ts'

/**
 * Finds the issue to link with, and checks that the caller may link there, too. A former path of its project redirects
 * to the present one.
 * @throws 404 when the project or the issue does not exist or the caller may not read it, 403 when they may not link
 * there.
 */
export async function openTarget(tx: Tx, viewer: Viewer, idOrPath: string, iid: number): Promise<IssueRow> {
  const there = await authorizeNamedProject(tx.db, viewer, idOrPath, 'read_issue')
  const issue = await findIssue(tx.db, viewer, there, iid)
  assertMayLink(there)
  return issue
}

/** @throws 403 unless the caller may link in the projects of both issues. */
export async function assertMayUnlink(
  tx: Tx,
  viewer: Viewer,
  here: AuthorizedProject,
  { source, target }: LinkRow,
): Promise<void> {
  const elsewhere = [source, target].find(({ project_id }) => project_id !== here.container.id)
  if (elsewhere === undefined) return
  assertMayLink(await authorizeProject(tx.db, viewer, String(elsewhere.project_id), 'read_issue'))
}

function assertMayLink({ can }: AuthorizedProject): void {
  if (!can('link_issue')) throw forbidden('only members of both projects can link issues')
}
