/** What a hook belongs to: a project, a group or the instance. It learns of everything in there, also in subgroups. */
export type HookKind = 'project' | 'group' | 'system'

/** The triggers of both project and group hooks. */
const commonTriggers = [
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

/** The triggers of each kind of hook, named like their parameters. */
export const triggersOf = {
  project: commonTriggers,
  group: [...commonTriggers, 'member_events', 'subgroup_events', 'project_events'],
  system: ['push_events', 'tag_push_events', 'merge_requests_events', 'repository_update_events'],
} as const satisfies Record<HookKind, readonly string[]>

export type Trigger = (typeof triggersOf)[HookKind][number]

/** The triggers of a new hook, unless the request says otherwise. */
export const defaultTriggers: Readonly<Record<HookKind, readonly Trigger[]>> = {
  project: ['push_events'],
  group: ['push_events'],
  system: ['repository_update_events'],
}

/** What the log of deliveries calls a trigger. */
const nameInLog: Readonly<Partial<Record<Trigger | 'system', string>>> = {
  issues_events: 'issue_hooks',
  confidential_issues_events: 'confidential_issue_hooks',
  merge_requests_events: 'merge_request_hooks',
  releases_events: 'release_hooks',
  system: 'system_hooks',
}

export const triggerInLog = (trigger: Trigger | 'system'): string =>
  nameInLog[trigger] ?? trigger.replace(/_events$/, '_hooks')
