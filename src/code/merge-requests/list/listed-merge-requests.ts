import { sql } from 'kysely'
import type { ListedKind, PeopleTable } from '#planning/noteables/list/kind.ts'
import { scopesOf } from '#planning/noteables/list/scope.ts'
import { codeReadableAt } from '#code/repositories/abilities.ts'
import { mergeRequestIdentity } from '../identity.ts'
import { mergeRequestOrder } from './order.ts'

/** How lists of merge requests are found. Nothing hides one from those who may read the others of its project. */
export const listedMergeRequests: ListedKind = {
  name: mergeRequestIdentity.name,
  table: mergeRequestIdentity.table,
  relations: {
    key: 'merge_request_id',
    labels: 'merge_request_labels',
    assignees: 'merge_request_assignees',
    search: 'merge_request_search',
  },
  columns: [
    'id',
    'project_id',
    'source_project_id',
    'iid',
    'title',
    'state',
    'author_id',
    'milestone_id',
    'source_branch',
    'target_branch',
    'approvals_required',
    'merge_user_id',
    'merged_at',
    'upvotes',
    'created_at',
  ],
  order: mergeRequestOrder,
  projects: (viewer) => ({
    feature: 'merge_requests',
    trusts: 'reporter',
    where: ({ member, trusted }) => codeReadableAt('p.settings', 'n', viewer, { member, reporter: trusted }),
  }),
  readsAll: () => true,
}

export const { ofProject, ofGroup, ofInstance } = scopesOf(listedMergeRequests)

const { key } = listedMergeRequests.relations

export const reviewers: PeopleTable = { key, rows: sql`merge_request_reviewers` }

/** Who approved. */
export const approvals: PeopleTable = { key, rows: sql`merge_request_approvals` }
