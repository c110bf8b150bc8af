import { sql } from 'kysely'
import { authorizeProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Tx } from '#platform/db/transaction.ts'
import type { ItemReference } from '#planning/quick-actions/draft.ts'
import type { IssueRow } from '../queries.ts'

/** An issue that a command names, as far as links need it. */
type LinkedIssue = Pick<IssueRow, 'id' | 'iid' | 'project_id' | 'namespace_id' | 'full_path'>

/** The issue that a command has found: the caller may see it. */
export function linkedIssueById({ db }: Tx, id: number): Promise<LinkedIssue> {
  return db
    .selectFrom('issues as i')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .select(['i.id', 'i.iid', 'i.project_id', 'n.id as namespace_id', 'n.full_path'])
    .where('i.id', '=', id)
    .executeTakeFirstOrThrow()
}

/** Why an issue that the viewer may see cannot be the original of another one, as a sentence; undefined when it can. */
export async function obstacleToOriginal(
  tx: Tx,
  viewer: Viewer,
  issue: Pick<IssueRow, 'id'>,
  { id, reference }: ItemReference,
): Promise<string | undefined> {
  if (id === issue.id) return 'An issue cannot be related to itself.'
  const { project_id } = await linkedIssueById(tx, id)
  const { can } = await authorizeProject(tx.db, viewer, String(project_id), 'read_issue')
  return can('link_issue') ? undefined : `You may not link ${reference}.`
}

/** Why an issue that the viewer may see cannot be linked with another one, as a sentence; undefined when it can. */
export async function obstacleToLink(
  tx: Tx,
  viewer: Viewer,
  issue: Pick<IssueRow, 'id'>,
  named: ItemReference,
): Promise<string | undefined> {
  const obstacle = await obstacleToOriginal(tx, viewer, issue, named)
  if (obstacle !== undefined) return obstacle
  const linked = await areLinked(tx, issue.id, named.id)
  return linked ? `${named.reference} is linked with this issue already.` : undefined
}

/** Whether two issues are linked, one way or the other. */
export async function areLinked(tx: Tx, one: number, other: number): Promise<boolean> {
  const { rows } = await sql`select 1 from issue_links
    where least(source_id, target_id) = ${Math.min(one, other)}
      and greatest(source_id, target_id) = ${Math.max(one, other)}`.execute(tx.db)
  return rows.length > 0
}
