import { project } from '#platform/access/route-access.ts'
import { findBareIssue } from './bare-issue.ts'
import { Issue } from './entity.ts'
import { presentIssue } from './present.ts'
import { readIssues } from './read-issues.ts'
import { lackedBy } from '#planning/noteables/items/lacking.ts'
import { issueItems } from './item-kind.ts'
import { issueNoteable } from './noteable.ts'
import { defineKind } from '#planning/noteables/define-kind.ts'

/** Issues: people write notes on them, take part in them, spend time on them and put them on their lists. */
export const issueKind = defineKind({
  noteable: issueNoteable,
  items: issueItems,
  todos: {
    entity: Issue,
    async read(db, viewer, ids, longest) {
      const rows = await readIssues(db, { kind: 'instance', viewer }, ids, longest)
      return rows.map((row) => ({
        id: row.id,
        title: row.title,
        lacks: lackedBy(row),
        present: (req) => presentIssue(row, { site: req.site, today: req.viewer.today, from: 'instance' }),
      }))
    },
    mark: {
      subject: project('subscribe_issue'),
      find: (tx, req, iid) => findBareIssue(tx.db, req.viewer, req.project(), iid),
    },
  },
})
