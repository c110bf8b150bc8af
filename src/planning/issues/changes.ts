import type { IssueType } from '#platform/db/schema.ts'

/**
 * What becomes of an issue, however it was asked for (parameters, quick actions): only what is there changes.
 * Everything in it has been looked up and may be used in the issue's project.
 */
export interface IssueChanges {
  readonly title?: string
  readonly description?: string | null
  readonly state_event?: 'close' | 'reopen'
  readonly issue_type?: IssueType
  /** The ids of all assignees. */
  readonly assignee_ids?: readonly number[]
  /** The ids of all labels, before the next two. */
  readonly label_ids?: readonly number[]
  readonly add_label_ids?: readonly number[]
  readonly remove_label_ids?: readonly number[]
  readonly milestone_id?: number | null
  readonly due_date?: string | null
  readonly confidential?: boolean
  readonly discussion_locked?: boolean
  readonly weight?: number | null
}

/** What only those who may administrate issues change, also on their own: as looked up, and as requests name it. */
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
] as const satisfies (keyof IssueChanges | keyof AskedChanges)[]

/** What a request says of an issue, with things named as people name them. */
export interface AskedChanges extends Omit<
  IssueChanges,
  'label_ids' | 'add_label_ids' | 'remove_label_ids' | 'assignee_ids' | 'milestone_id'
> {
  readonly labels?: readonly string[]
  readonly add_labels?: readonly string[]
  readonly remove_labels?: readonly string[]
  readonly assignee_ids?: readonly number[]
  /** The older form; 0 is nobody. */
  readonly assignee_id?: number | null
  /** 0 is none. */
  readonly milestone_id?: number | null
}
