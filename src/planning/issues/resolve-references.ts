import { resolveInProjects } from '#planning/references/resolve-in-projects.ts'
import { issueVisibleTo } from './visible.ts'

/** The issues that references in a text lead to, as far as the reader may see them. */
export const resolveIssues = resolveInProjects({
  kind: 'issue',
  table: 'issues',
  alias: 'i',
  number: 'iid',
  sees: (reader) => issueVisibleTo(reader),
})
