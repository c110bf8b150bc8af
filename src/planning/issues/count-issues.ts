import { type RawBuilder, sql } from 'kysely'
import type { AssociationCount, UserCount } from '#identity/users/extension-points.ts'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer, Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { boundedCount, COUNTED } from '#platform/http/pagination.ts'
import type { HasLevel } from '#tenancy/projects/extension-points.ts'
import { confidentialOpenIn, issueVisibleTo } from './visible.ts'

/**
 * The open issues of a project that the viewer may see. They are stored (fold-open-counts.ts), so that a list of projects
 * costs the same whatever is in them. Only a viewer's own confidential issues are counted, up to the limit of totals.
 */
export function openIssuesOf(viewer: SqlViewer, has: HasLevel): RawBuilder<number> {
  const readsAll = has(levels.planner)
  const stored = sql`(select coalesce(sum(c.count), 0) from (
      select count, confidential from open_issue_counts where project_id = p.id
      union all select change, confidential from open_issue_changes where project_id = p.id) c
    where not c.confidential or ${readsAll})`
  const own = sql`case when ${readsAll} then 0 else (
    select count(*) from (
      select oi.id, oi.author_id, oi.confidential from issues oi where oi.project_id = p.id and oi.state = 'opened' and oi.confidential
        limit ${sql.lit(COUNTED)}) oi
    where ${confidentialOpenIn(viewer, false, 'oi')}) end`
  const count = viewer.admin || viewer.id === null ? stored : sql`${stored} + ${own}`
  return sql<number>`(case when ${projectFeatureOpenAt('issues', 'p.settings', 'n', viewer, has(levels.guest))}
    then (${count})::bigint else 0 end)`
}

/** The open issues that are assigned to the user, that they may see, and that are not in archived projects. */
export const assignedIssuesCount: UserCount = {
  field: 'assigned_issues',
  column: (db, viewer) =>
    boundedCount(
      visibleIssues(db, viewer)
        .innerJoin('issue_assignees as a', 'a.issue_id', 'i.id')
        .where('a.user_id', '=', viewer.id)
        .where('i.state', '=', 'opened')
        .where(sql<boolean>`not ${archivedIn('n')}`),
    ),
}

/** How many issues of an author the viewer may see. */
export const authoredIssuesCount: AssociationCount = {
  field: 'issues_count',
  column: (db, viewer, authorId) =>
    boundedCount(visibleIssues(db, viewer).where('i.author_id', '=', authorId)),
}

function visibleIssues(db: Db, viewer: Viewer) {
  return db
    .selectFrom('issues as i')
    .innerJoin('projects as p', 'p.id', 'i.project_id')
    .innerJoin('namespaces as n', 'n.id', 'p.project_namespace_id')
    .where(issueVisibleTo(viewer))
}
