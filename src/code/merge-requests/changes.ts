import type { IssueChangeRequest, IssueChanges } from '#planning/issues/changes.ts'

/** What merge requests share with issues. */
type Shared = 'title' | 'description' | 'state_event' | 'assignee_ids' | 'milestone_id' | 'discussion_locked'

interface Own {
  readonly target_branch?: string
  readonly remove_source_branch?: boolean
  readonly allow_collaboration?: boolean
  readonly squash?: boolean
  readonly merge_after?: string | null
  readonly approvals_required?: number | null
  /** The ids of all reviewers. */
  readonly reviewer_ids?: readonly number[]
}

/**
 * Changes of a merge request, however they were requested. Absent fields stay. Everything that it names has been looked up
 * and may be used in the project.
 */
export interface MergeRequestChanges
  extends Own, Pick<IssueChanges, Shared | 'label_ids' | 'add_label_ids' | 'remove_label_ids'> {}

/** The changes that a request asks for, before names are looked up. */
export interface MergeRequestChangeRequest
  extends Own, Pick<IssueChangeRequest, Shared | 'labels' | 'add_labels' | 'remove_labels' | 'assignee_id'> {}

/** The fields that need `admin_merge_request`, even on one's own merge requests: as looked up and as requested. */
export const metadata = [
  'assignee_ids',
  'assignee_id',
  'reviewer_ids',
  'label_ids',
  'add_label_ids',
  'remove_label_ids',
  'labels',
  'add_labels',
  'remove_labels',
  'milestone_id',
  'discussion_locked',
  'approvals_required',
] as const satisfies (keyof MergeRequestChanges | keyof MergeRequestChangeRequest)[]
