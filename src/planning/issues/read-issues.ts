import { sql } from 'kysely'
import { itemReader } from '#planning/noteables/list/read-items.ts'
import { type IssueRow, issuesFor } from './queries.ts'
import { confidentialOpenIn, issueVisibleTo } from './visible.ts'

/** Reads the issues of a page. */
export const readIssues = itemReader<IssueRow>((db, rights, { viewer, project, ids }, longest) => {
  const issues = issuesFor(db, viewer, longest).where(sql<boolean>`i.id = any(${ids}::bigint[])`)
  if (rights === 'any') return issues.where(issueVisibleTo(viewer))
  return issues
    .where('i.project_id', '=', project)
    .where(confidentialOpenIn(viewer, rights === 'all of a project'))
})
