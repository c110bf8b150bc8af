import { sql } from 'kysely'
import type { AssociationCount, UserCount } from '#identity/users/extension-points.ts'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { levels } from '#platform/access/roles.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { archivedIn } from '#platform/access/visible.ts'
import type { Db } from '#platform/db/pool.ts'
import { boundedCount, COUNTED } from '#platform/http/pagination.ts'
import type { HasLevel } from '#tenancy/projects/extension-points.ts'
import { confidentialOpenIn, issueVisibleTo } from './visible.ts'

/** The open issues of a project that the viewer may see. */
export const openIssuesOf = (
  viewer: Viewer,
  has: HasLevel,
) => sql<number>`(case when ${projectFeatureOpenAt('issues', 'p.settings', 'n', viewer, has(levels.guest))} then (
    select count(*) from (select 1 from issues oi where oi.project_id = p.id and oi.state = 'opened'
      and (${has(levels.planner)} or ${confidentialOpenIn(viewer, false, 'oi')})
      limit ${sql.lit(COUNTED)}) as counted) else 0 end)`

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
