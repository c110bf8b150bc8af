/**
 * Changes of an epic, however they were requested (parameters, quick actions). Absent fields stay. Everything that it
 * names has been looked up and may be used in the epic's group. The epic above it is in set-parent.ts.
 */
export interface EpicChanges {
  readonly title?: string
  readonly description?: string | null
  readonly state_event?: 'close' | 'reopen'
  readonly confidential?: boolean
  readonly color?: string
  /** The ids of all labels; the next two then modify them. */
  readonly label_ids?: readonly number[]
  readonly add_label_ids?: readonly number[]
  readonly remove_label_ids?: readonly number[]
  readonly start_date_is_fixed?: boolean
  readonly start_date_fixed?: string | null
  readonly due_date_is_fixed?: boolean
  readonly due_date_fixed?: string | null
}

/** The changes that a request asks for, before names are looked up. */
export interface EpicChangeRequest extends Omit<
  EpicChanges,
  'label_ids' | 'add_label_ids' | 'remove_label_ids'
> {
  readonly labels?: readonly string[]
  readonly add_labels?: readonly string[]
  readonly remove_labels?: readonly string[]
}
