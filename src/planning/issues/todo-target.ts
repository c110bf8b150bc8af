import { project } from '#platform/access/route-access.ts'
import { isAnyOf } from '#platform/db/any-of.ts'
import type { TodoTarget } from '#planning/todos/targets.ts'
import type { Markable } from '#planning/todos/mark-route.ts'
import { findBareIssue } from './bare-issue.ts'
import { Issue } from './entity.ts'
import { ByIssue } from './by-issue.ts'
import { presentIssue } from './present.ts'
import { issuesFor, lackedBy } from './queries.ts'
import { issueVisibleTo } from './visible.ts'

/** To-dos about issues. */
export const issueTodos: TodoTarget = {
  kind: 'issue',
  type: 'Issue',
  entity: Issue,
  async read(db, viewer, ids, longest) {
    const rows = await issuesFor(db, viewer, longest)
      .where(isAnyOf('i.id', ids))
      .where(issueVisibleTo(viewer))
      .execute()
    return rows.map((row) => ({
      id: row.id,
      title: row.title,
      lacks: lackedBy(row),
      present: (req) => presentIssue(row, { site: req.site, today: req.viewer.today, from: 'instance' }),
    }))
  },
}

/** Putting an issue on one's list. */
export const markableIssue: Markable = {
  title: 'an issue',
  path: '/projects/:id/issues/:issue_iid',
  params: ByIssue,
  param: 'issue_iid',
  subject: project('subscribe_issue'),
  find: (tx, req, iid) => findBareIssue(tx.db, req.viewer, req.project(), iid),
}
