import type { CommandsChanges } from './entity.ts'

export interface Person {
  readonly id: number
  readonly username: string
}

export interface Label {
  readonly id: number
  readonly name: string
}

export interface Milestone {
  readonly id: number
  readonly title: string
}

/** An epic, an issue or a project, as a command named it. */
export interface ItemReference {
  readonly id: number
  readonly reference: string
}

/**
 * The fields of a noteable that commands change. Each command leaves a draft to the next, and only the last is written. Kinds of
 * higher districts extend it by what they alone have.
 */
export interface Draft {
  readonly title: string
  readonly state: 'opened' | 'closed'
  readonly assignees: readonly Person[]
  readonly labels: readonly Label[]
  /** Whether a command replaced all labels, instead of adding or removing some. */
  readonly labelsReplaced: boolean
  readonly milestone: Milestone | null
  readonly dueDate: string | null
  readonly confidential: boolean
  readonly locked: boolean
  readonly weight: number | null
  readonly subscribed: boolean
  /** How the writer's to-do about the item changes. */
  readonly todo?: 'add' | 'done'
  /** In seconds. */
  readonly timeEstimate: number
  /** Time to add to the spent time, or the command to remove all of it; null for no change. */
  readonly spending: SpentTime | null
  /** The reactions to give, or to take back where they were given before. */
  readonly reactions: readonly string[]
  /** The epic that an issue is in, or the one above an epic. */
  readonly epicId: number | null
  /** The child epics to add to an epic, and those to remove from it. */
  readonly childrenAdded: readonly ItemReference[]
  readonly childrenRemoved: readonly ItemReference[]
  /** The issues with which an issue is linked from now on. */
  readonly links?: readonly NewLink[]
  /** The issue that an issue repeats. */
  readonly original?: ItemReference
  /** The projects to which an issue is moved and cloned. */
  readonly moveTo?: ItemReference
  readonly cloneTo?: ItemReference & { readonly withNotes: boolean }
}

export interface NewLink extends ItemReference {
  readonly type: 'relates_to' | 'blocks' | 'is_blocked_by'
}

export interface SpentTime {
  /** In seconds, negative to take time back. */
  readonly duration: number | 'reset'
  /** The day on which it was spent; null for today. */
  readonly spent_at: string | null
}

/** The fields that no noteable has before its first command. */
export const unspent = { spending: null, reactions: [] } as const satisfies Partial<Draft>

/** The fields that a kind of noteable does not have. */
export const noAssignment = {
  assignees: [],
  milestone: null,
  dueDate: null,
  locked: false,
  weight: null,
  timeEstimate: 0,
  ...unspent,
} as const satisfies Partial<Draft>
export const noChildren = { childrenAdded: [], childrenRemoved: [] } as const satisfies Partial<Draft>
export const noEpics = { epicId: null, ...noChildren } as const satisfies Partial<Draft>

/** What differs between two drafts, as {@link CommandsChanges} names it. */
export function changesBetween(before: Draft, after: Draft): CommandsChanges {
  const changed = (key: keyof Draft) => before[key] !== after[key]
  return {
    ...(changed('title') ? { title: after.title } : {}),
    ...(changed('state') ? { state_event: after.state === 'closed' ? 'close' : 'reopen' } : {}),
    ...(sameIds(before.assignees, after.assignees) ? {} : { assignee_ids: idsOf(after.assignees) }),
    ...labelChanges(before, after),
    ...(before.milestone?.id === after.milestone?.id ? {} : { milestone_id: after.milestone?.id ?? null }),
    ...(changed('dueDate') ? { due_date: after.dueDate } : {}),
    ...(changed('confidential') ? { confidential: after.confidential } : {}),
    ...(changed('locked') ? { discussion_locked: after.locked } : {}),
    ...(changed('weight') ? { weight: after.weight } : {}),
    ...(changed('epicId') ? { epic_id: after.epicId } : {}),
    ...(after.childrenAdded.length > 0 ? { add_child_epic_ids: idsOf(after.childrenAdded) } : {}),
    ...(after.childrenRemoved.length > 0 ? { remove_child_epic_ids: idsOf(after.childrenRemoved) } : {}),
    ...(after.links === undefined
      ? {}
      : { issue_links: after.links.map(({ id, type }) => ({ issue_id: id, link_type: type })) }),
    ...(after.original === undefined ? {} : { canonical_issue_id: after.original.id }),
    ...(after.moveTo === undefined ? {} : { target_project_id: after.moveTo.id }),
    ...(after.cloneTo === undefined
      ? {}
      : { target_clone_project_id: after.cloneTo.id, clone_with_notes: after.cloneTo.withNotes }),
    ...(changed('timeEstimate') ? { time_estimate: after.timeEstimate } : {}),
    ...(after.spending === null ? {} : { spend_time: after.spending }),
    ...(after.reactions.length === 0 ? {} : { emoji_award: [...after.reactions] }),
    ...(after.todo === undefined ? {} : { todo_event: after.todo }),
    ...(changed('subscribed') ? { subscription_event: after.subscribed ? 'subscribe' : 'unsubscribe' } : {}),
  }
}

function labelChanges(
  before: Draft,
  after: Draft,
): Pick<CommandsChanges, 'label_ids' | 'add_label_ids' | 'remove_label_ids'> {
  if (sameIds(before.labels, after.labels)) return {}
  if (after.labelsReplaced) return { label_ids: idsOf(after.labels) }
  const added = without(after.labels, before.labels)
  const removed = without(before.labels, after.labels)
  return {
    ...(added.length > 0 ? { add_label_ids: idsOf(added) } : {}),
    ...(removed.length > 0 ? { remove_label_ids: idsOf(removed) } : {}),
  }
}

interface WithId {
  readonly id: number
}

export const idsOf = (all: readonly WithId[]) => all.map(({ id }) => id)

/** The elements that others do not contain. */
export function without<T extends WithId>(all: readonly T[], others: readonly WithId[]): T[] {
  const ids = new Set(idsOf(others))
  return all.filter(({ id }) => !ids.has(id))
}

export const sameIds = (a: readonly WithId[], b: readonly WithId[]) =>
  a.length === b.length && without(a, b).length === 0
