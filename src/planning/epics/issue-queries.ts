import { authorizeProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { forbidden, notFound } from '#platform/refusals.ts'
import { lockIssue } from '#planning/issues/lock-issue.ts'
import { findIssueById, type IssueRow, issuesFor } from '#planning/issues/queries.ts'
import { issueVisibleTo } from '#planning/issues/visible.ts'

/** An issue with its place in an epic. */
export interface EpicIssueRow extends IssueRow {
  readonly epic_issue_id: number
  readonly epic_position: number
}

/** The issues of an epic that the viewer may see, without texts of more bytes than `longest`. */
export const issuesOfEpic = (db: Db | Tx['db'], viewer: Viewer, epicId: number, longest?: number) =>
  issuesFor(db, viewer, longest)
    .innerJoin('epic_issues as k', 'k.issue_id', 'i.id')
    .where('k.epic_id', '=', epicId)
    .where(issueVisibleTo(viewer))
    .select(['k.id as epic_issue_id', 'k.relative_position as epic_position'])

/**
 * Finds an issue of an epic by its own id or by that of its place there.
 * @throws 404, also when the viewer may not see it
 */
export async function findEpicIssue(
  db: Db | Tx['db'],
  viewer: Viewer,
  epicId: number,
  by: { readonly 'k.id': number } | { readonly 'k.issue_id': number },
): Promise<EpicIssueRow> {
  const issues = issuesOfEpic(db, viewer, epicId)
  return (
    'k.id' in by ? issues.where('k.id', '=', by['k.id']) : issues.where('k.issue_id', '=', by['k.issue_id'])
  ).executeTakeFirstOrThrow(() => notFound())
}

/**
 * Finds an issue of any project by its id and locks it, for putting it into an epic or taking it out.
 * @throws 404 when the caller may not see it, 403 when they are not a member of its project
 */
export async function lockLinkableIssue(tx: Tx, viewer: Viewer, id: number): Promise<IssueRow> {
  const issue = await findIssueById(tx.db, viewer, id)
  const authorized = await authorizeProject(tx.db, viewer, String(issue.project_id), 'read_issue')
  if (!authorized.can('link_issue'))
    throw forbidden('only members of the group and of the project can put issues into epics')
  return lockIssue(tx, viewer, authorized, issue.iid)
}
