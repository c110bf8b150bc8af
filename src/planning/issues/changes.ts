import type { IssueType } from '#platform/db/schema.ts'

/**
 * Changes of an issue, however they were requested (parameters, quick actions). Absent fields stay. Everything that it
 * names has been looked up and may be used in the issue's project.
 */
export interface IssueChanges {
  readonly title?: string
  readonly description?: string | null
  readonly state_event?: 'close' | 'reopen'
  readonly issue_type?: IssueType
  /** The ids of all assignees. */
  readonly assignee_ids?: readonly number[]
  /** The ids of all labels; the next two then modify them. */
  readonly label_ids?: readonly number[]
  readonly add_label_ids?: readonly number[]
  readonly remove_label_ids?: readonly number[]
  readonly milestone_id?: number | null
  readonly due_date?: string | null
  readonly confidential?: boolean
  readonly discussion_locked?: boolean
  readonly weight?: number | null
}

/** The epic that a request names; epics/assign-issue.ts puts the issue into it. */
export interface EpicOfRequest {
  /** 0 means none. */
  readonly epic_id?: number | null
  /** The older form: its number in the group that the project is in. */
  readonly epic_iid?: number | null
}

/** The fields that need `admin_issue`, even on one's own issues: both as looked up and as requests name them. */
export const metadata = [
  'issue_type',
  'assignee_ids',
  'label_ids',
  'add_label_ids',
  'remove_label_ids',
  'milestone_id',
  'due_date',
  'confidential',
  'discussion_locked',
  'weight',
  'labels',
  'add_labels',
  'remove_labels',
  'assignee_id',
  'epic_id',
  'epic_iid',
] as const satisfies (keyof IssueChanges | keyof IssueChangeRequest)[]

/** The changes that a request asks for, before names are looked up. */
export interface IssueChangeRequest
  extends
    EpicOfRequest,
    Omit<IssueChanges, 'label_ids' | 'add_label_ids' | 'remove_label_ids' | 'assignee_ids' | 'milestone_id'> {
  readonly labels?: readonly string[]
  readonly add_labels?: readonly string[]
  readonly remove_labels?: readonly string[]
  readonly assignee_ids?: readonly number[]
  /** The older form; 0 means no assignee. */
  readonly assignee_id?: number | null
  /** 0 means no milestone. */
  readonly milestone_id?: number | null
}
