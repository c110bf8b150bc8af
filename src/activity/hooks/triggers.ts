/** Where a hook is: it learns of a project, of a group with all that is below it, or of the whole instance. */
export type HookKind = 'project' | 'group' | 'system'

/** What both hooks of projects and of groups can be told of. */
const shared = [
  'push_events',
  'tag_push_events',
  'merge_requests_events',
  'repository_update_events',
  'issues_events',
  'confidential_issues_events',
  'note_events',
  'confidential_note_events',
  'wiki_page_events',
  'milestone_events',
  'emoji_events',
  'resource_access_token_events',
  'job_events',
  'pipeline_events',
  'deployment_events',
  'releases_events',
  'feature_flag_events',
  'vulnerability_events',
] as const

/** The events of each kind of hook, by the names of their parameters. */
export const triggersOf = {
  project: shared,
  group: [...shared, 'member_events', 'subgroup_events', 'project_events'],
  system: ['push_events', 'tag_push_events', 'merge_requests_events', 'repository_update_events'],
} as const satisfies Record<HookKind, readonly string[]>

export type Trigger = (typeof triggersOf)[HookKind][number]

/** What a new hook is told of when nobody says otherwise. */
export const standardTriggers: Readonly<Record<HookKind, readonly Trigger[]>> = {
  project: ['push_events'],
  group: ['push_events'],
  system: ['repository_update_events'],
}

/** What the log of deliveries calls a trigger. */
const logged: Readonly<Partial<Record<Trigger | 'system', string>>> = {
  issues_events: 'issue_hooks',
  confidential_issues_events: 'confidential_issue_hooks',
  merge_requests_events: 'merge_request_hooks',
  releases_events: 'release_hooks',
  system: 'system_hooks',
}

export const loggedTrigger = (trigger: Trigger | 'system'): string =>
  logged[trigger] ?? trigger.replace(/_events$/, '_hooks')
