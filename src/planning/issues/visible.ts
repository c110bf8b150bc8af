import { type Expression, type RawBuilder, sql } from 'kysely'
import { projectFeatureOpenAt } from '#platform/access/project-feature-rules.ts'
import { levels } from '#platform/access/roles.ts'
import type { SqlViewer } from '#platform/access/viewer.ts'
import { hasLevel, visibleTo } from '#platform/access/visible.ts'

type Bool = RawBuilder<boolean>

/** Aliases under which a query has `issues`, and the `namespaces` and `projects` of each. */
interface Aliases {
  readonly issue: string
  readonly node: string
  readonly project: string
}

const usual: Aliases = { issue: 'i', node: 'n', project: 'p' }

/**
 * The one predicate for issues of any project, in rows and in totals. It holds for issues of projects that the viewer
 * may see and whose issues are open to them; for confidential ones {@link confidentialOpenTo} must hold, too.
 */
export function issueVisibleTo(viewer: SqlViewer, aliases: Aliases = usual): Bool {
  const { node, project } = aliases
  return sql<boolean>`(${visibleTo(node, viewer)} and ${projectFeatureOpenAt('issues', `${project}.settings`, node, viewer)}
    and ${confidentialOpenTo(viewer, aliases)})`
}

/** Whether an issue, if confidential, is open to the viewer: from Planner up, and to its author and assignees. */
export function confidentialOpenTo(viewer: SqlViewer, { issue, node }: Aliases = usual): Bool {
  if (viewer.admin) return sql<boolean>`true`
  return sql<boolean>`(${openOrOwn(userOf(viewer), issue)} or ${hasLevel(node, viewer, levels.planner)})`
}

/** The same within one project, when it is known whether the viewer reads other people's confidential issues. */
export function confidentialOpenIn(
  viewer: Pick<SqlViewer, 'id'>,
  readsAll: boolean,
  issue = usual.issue,
): Bool {
  return readsAll ? sql<boolean>`true` : openOrOwn(userOf(viewer), issue)
}

const userOf = ({ id }: Pick<SqlViewer, 'id'>) => (id === null ? null : sql<number>`${id}`)

/** Whether an issue is not confidential, or the user is its author or an assignee; null for anonymous callers. */
export function openOrOwn(user: Expression<number> | null, issue: string): Bool {
  const of = (column: string) => sql.ref(`${issue}.${column}`)
  if (user === null) return sql<boolean>`(not ${of('confidential')})`
  return sql<boolean>`(not ${of('confidential')} or ${of('author_id')} = ${user} or exists (
    select 1 from issue_assignees own where own.issue_id = ${of('id')} and own.user_id = ${user}))`
}
