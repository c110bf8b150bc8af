/** The events that one can choose at the level `custom`, by the names of the specification. */
export const customEvents = [
  'approver',
  'change_reviewer_merge_request',
  'close_issue',
  'close_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'issue_due',
  'merge_merge_request',
  'merge_when_pipeline_succeeds',
  'moved_project',
  'new_epic',
  'new_issue',
  'new_merge_request',
  'new_note',
  'new_release',
  'push_to_merge_request',
  'reassign_issue',
  'reassign_merge_request',
  'reopen_issue',
  'reopen_merge_request',
  'success_pipeline',
] as const

export type CustomEvent = (typeof customEvents)[number]

/** When each is sent, for the API's description. */
export const sentWhen: Readonly<Record<CustomEvent, string>> = {
  approver: 'a merge request that you may approve is created',
  change_reviewer_merge_request: 'the reviewers of a merge request change',
  close_issue: 'an issue is closed',
  close_merge_request: 'a merge request is closed',
  failed_pipeline: 'a pipeline fails',
  fixed_pipeline: 'a pipeline succeeds after one that failed',
  issue_due: 'an issue is due tomorrow',
  merge_merge_request: 'a merge request is merged',
  merge_when_pipeline_succeeds: 'a merge request is set to merge automatically',
  moved_project: 'a project is moved',
  new_epic: 'an epic is created (Premium and Ultimate; ignored without the plan)',
  new_issue: 'an issue is created',
  new_merge_request: 'a merge request is created',
  new_note: 'somebody comments',
  new_release: 'a release is published',
  push_to_merge_request: 'somebody pushes to a merge request',
  reassign_issue: 'the assignees of an issue change',
  reassign_merge_request: 'the assignees of a merge request change',
  reopen_issue: 'an issue is reopened',
  reopen_merge_request: 'a merge request is reopened',
  success_pipeline: 'a pipeline succeeds',
}

/** What is on while nobody has said otherwise: these concern what one did oneself, or where things are. */
const onByDefault: ReadonlySet<CustomEvent> = new Set(['failed_pipeline', 'fixed_pipeline', 'moved_project'])

/** The chosen events; those that are absent have their default. */
export type ChosenEvents = { readonly [Name in CustomEvent]?: boolean }

/** Whether somebody at the level `custom` hears of an event. */
export const isChosen = (chosen: ChosenEvents, event: CustomEvent): boolean =>
  chosen[event] ?? onByDefault.has(event)

/** The events that need a plan. */
export const licensedEvents: ReadonlySet<CustomEvent> = new Set(['new_epic'])

/** The levels, as the specification names them. */
export const notificationLevels = [
  'disabled',
  'participating',
  'watch',
  'global',
  'mention',
  'custom',
] as const

export type NotificationLevel = (typeof notificationLevels)[number]

/** The level of people who chose none. In a project or group, that is `global`. */
export const DEFAULT_LEVEL = 'participating'
