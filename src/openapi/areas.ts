/** A part of the API: what its endpoints are grouped by in the document and on the reference page. */
export interface Area {
  readonly name: string
  readonly about: string
  /** Path segments that belong to it; the last one of a path that belongs to any area decides. */
  readonly segments: readonly string[]
  /** What may change or go without notice ("Versioning" in the specification). */
  readonly beta?: true
}

/** All areas, in the order of the document. */
export const areas: readonly Area[] = [
  {
    name: 'Users',
    about: 'Accounts: the own one, those of others, and their administration.',
    segments: ['users', 'user', 'user_counts'],
  },
  {
    name: 'Access tokens',
    about: 'Personal and impersonation tokens, and those of projects and groups.',
    segments: ['personal_access_tokens', 'impersonation_tokens', 'access_tokens'],
  },
  { name: 'Namespaces', about: 'What projects can be in: groups and people.', segments: ['namespaces'] },
  {
    name: 'Groups',
    about: 'Groups and subgroups, which hold projects.',
    segments: ['groups', 'subgroups', 'descendant_groups', 'organizations'],
  },
  { name: 'Projects', about: 'Projects: settings, archiving, transfer, sharing.', segments: ['projects'] },
  {
    name: 'Members',
    about: 'Who takes part in a project or group, and with which role.',
    segments: ['members', 'invitations', 'access_requests'],
  },
  { name: 'Labels', about: 'Labels of projects and groups.', segments: ['labels'] },
  { name: 'Milestones', about: 'Milestones of projects and groups.', segments: ['milestones'] },
  { name: 'Issues', about: 'Issues of projects.', segments: ['issues', 'issues_statistics'] },
  {
    name: 'Merge requests',
    about: 'Proposed changes, their review and their merging.',
    segments: ['merge_requests'],
  },
  { name: 'Epics', about: 'Epics of groups.', segments: ['epics'] },
  { name: 'Snippets', about: 'Snippets of projects and people.', segments: ['snippets'] },
  { name: 'Wikis', about: 'Wiki pages of projects and groups.', segments: ['wikis'] },
  { name: 'Notes', about: 'Comments, and the records of what the system did.', segments: ['notes'] },
  { name: 'Discussions', about: 'Threads of notes.', segments: ['discussions'] },
  { name: 'Emoji reactions', about: 'Reactions to what others wrote.', segments: ['award_emoji'] },
  { name: 'To-dos', about: 'What waits for the current user.', segments: ['todos', 'todo'] },
  { name: 'Events', about: 'What people did, newest first.', segments: ['events'] },
  { name: 'Notification settings', about: 'Which mail a user gets.', segments: ['notification_settings'] },
  { name: 'Badges', about: 'Images with links on projects and groups.', segments: ['badges'] },
  { name: 'Topics', about: 'Subjects that projects are about.', segments: ['topics'], beta: true },
  { name: 'Repositories', about: 'Files, commits, branches and tags.', segments: ['repository'] },
  {
    name: 'Protected environments',
    about: 'Who may deploy to the environments of a group.',
    segments: ['protected_environments'],
  },
  {
    name: 'Repository storage moves',
    about: 'Moves of repositories between storages.',
    segments: [
      'repository_storage_moves',
      'group_repository_storage_moves',
      'project_repository_storage_moves',
      'snippet_repository_storage_moves',
    ],
  },
  {
    name: 'Error tracking',
    about: 'Error tracking of a project and its client keys.',
    segments: ['error_tracking'],
  },
  {
    name: 'Container virtual registries',
    about: 'Registries that answer from several upstream registries.',
    segments: ['virtual_registries'],
    beta: true,
  },
  { name: 'Container registry', about: 'Container images of projects.', segments: ['registry'] },
  { name: 'Packages', about: 'Packages of projects.', segments: ['packages'] },
  {
    name: 'Pipelines and jobs',
    about: 'Pipelines, their jobs and schedules.',
    segments: ['pipelines', 'jobs', 'pipeline_schedules'],
  },
  { name: 'Audit events', about: 'What administrators are asked about later.', segments: ['audit_events'] },
  { name: 'Licenses', about: 'Licenses of the instance.', segments: ['license', 'licenses'] },
  {
    name: 'Instance',
    about: 'Version, settings and this description of the API.',
    segments: [
      'version',
      'metadata',
      'openapi',
      'features',
      'application',
      'applications',
      'avatar',
      'markdown',
    ],
  },
]

const bySegment = new Map(areas.flatMap((area) => area.segments.map((segment) => [segment, area] as const)))

/**
 * The area of a path below `/api/v4`.
 * @throws when no segment belongs to one: a new area gets its line in this file.
 */
export function areaOf(path: string): Area {
  const found = path.split('/').findLast((segment) => bySegment.has(segment.replace(/\..*/, '')))
  const area = bySegment.get(found?.replace(/\..*/, '') ?? '')
  if (area === undefined) throw new Error(`${path} belongs to no area: name its segment in openapi/areas.ts`)
  return area
}
