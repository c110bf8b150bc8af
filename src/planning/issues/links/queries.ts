import { sql } from 'kysely'
import type { AuthorizedProject } from '#platform/access/authorize.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import type { Db } from '#platform/db/pool.ts'
import { StatementCache } from '#platform/db/statement.ts'
import type { IssueLinkType } from '#platform/db/schema.ts'
import type { Tx } from '#platform/db/transaction.ts'
import { notFound } from '#platform/refusals.ts'
import { type IssueRow, issuesFor } from '../queries.ts'
import { issueVisibleTo } from '../visible.ts'

/** An issue that is linked with the requested one, and their link. */
export interface RelatedRow extends IssueRow {
  readonly issue_link_id: number
  readonly link_type: IssueLinkType
  readonly link_created_at: string
  readonly link_updated_at: string
  /** Whether the requested issue is the source of the link. */
  readonly is_source: boolean
}

/** The statements for lists of linked issues. */
export const statements = new StatementCache({ name: 'linked issues', max: 8, plan: 'generic' })

/**
 * The issues linked with one that the viewer may see, in the order in which they were linked, without texts of more
 * bytes than `longest`.
 */
export function relatedIssues(db: Db | Tx['db'], viewer: Viewer, issueId: number, longest?: number) {
  return issuesFor(db, viewer, longest)
    .innerJoin('issue_links as k', (join) =>
      join.on(sql<boolean>`i.id = case k.source_id when ${issueId} then k.target_id else k.source_id end`),
    )
    .where((eb) => eb.or([eb('k.source_id', '=', issueId), eb('k.target_id', '=', issueId)]))
    .where(issueVisibleTo(viewer))
    .select([
      'k.id as issue_link_id',
      'k.link_type',
      'k.created_at as link_created_at',
      'k.updated_at as link_updated_at',
      sql<boolean>`k.source_id = ${issueId}`.as('is_source'),
    ])
    .orderBy('k.id')
}

/** A link with both of its issues. */
export interface LinkRow {
  readonly id: number
  readonly link_type: IssueLinkType
  readonly updated_at: string
  readonly source: IssueRow
  readonly target: IssueRow
}

/**
 * Finds a link of an issue of a project, in one statement.
 * @throws 404 also when the viewer may not see one of the two
 */
export async function findLink(
  db: Db | Tx['db'],
  viewer: Viewer,
  { container }: AuthorizedProject,
  iid: number,
  linkId: number,
): Promise<LinkRow> {
  const rows = await issuesFor(db, viewer)
    .innerJoin('issue_links as k', (join) =>
      join.on(sql<boolean>`i.id = any(array[k.source_id, k.target_id])`),
    )
    .where('k.id', '=', linkId)
    .where(issueVisibleTo(viewer))
    .select(['k.source_id', 'k.link_type', 'k.updated_at as link_updated_at'])
    .execute()
  const source = rows.find(({ id, source_id }) => id === source_id)
  const target = rows.find(({ id, source_id }) => id !== source_id)
  const named = rows.some((row) => row.project_id === container.id && row.iid === iid)
  if (source === undefined || target === undefined || !named) throw notFound()
  const { link_type, link_updated_at: updated_at } = source
  return { id: linkId, link_type, updated_at, source, target }
}
