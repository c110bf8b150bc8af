import type { ListedKind } from '#planning/noteables/list/kind.ts'
import { scopesOf } from '#planning/noteables/list/scope.ts'
import { issueIdentity } from './identity.ts'
import { issueOrder } from './list-order.ts'
import { confidentialOpenIn } from './visible.ts'

/** How lists of issues are found. */
export const listedIssues: ListedKind = {
  name: issueIdentity.name,
  table: issueIdentity.table,
  relations: {
    key: 'issue_id',
    labels: 'issue_labels',
    assignees: 'issue_assignees',
    search: 'issue_search',
  },
  columns: [
    'id',
    'project_id',
    'iid',
    'issue_type',
    'title',
    'state',
    'author_id',
    'milestone_id',
    'confidential',
    'due_date',
    'weight',
    'relative_position',
    'upvotes',
    'closed_by_id',
    'created_at',
  ],
  order: issueOrder,
  projects: () => ({ feature: 'issues', trusts: 'planner' }),
  readsAll: ({ can }) => can('read_confidential_issue'),
  openTo: (viewer) => confidentialOpenIn(viewer, false),
}

export const { ofProject, ofGroup, ofInstance } = scopesOf(listedIssues)
