import { sql } from 'kysely'
import { isOfProject, itemReader } from '#planning/noteables/list/read-items.ts'
import { type IssueRow, issuesFor } from './queries.ts'
import { confidentialOpenIn, issueVisibleTo } from './visible.ts'

const reader = (asksRelated: boolean) =>
  itemReader<IssueRow>((db, rights, { viewer, project, ids }, longest) => {
    const issues = issuesFor(db, viewer, longest, asksRelated).where(
      sql<boolean>`i.id = any(${ids}::bigint[])`,
    )
    if (rights === 'any') return issues.where(issueVisibleTo(viewer))
    return issues
      .where(isOfProject('i.project_id', project))
      .where(confidentialOpenIn(viewer, rights === 'all of a project'))
  })

const plain = reader(false)
const related = reader(true)

/** Reads the issues of a page; what they are related to, only if one is related to anything. */
export async function readIssues(...asked: Parameters<typeof plain>): Promise<IssueRow[]> {
  const rows = await plain(...asked)
  return rows.some(({ is_related }) => is_related) ? related(...asked) : rows
}
