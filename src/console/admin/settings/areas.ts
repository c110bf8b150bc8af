/** Settings that belong together. A setting is in the first area that one of its names begins with. */
export interface SettingsArea {
  readonly title: string
  /** How the address of its page ends. */
  readonly word: string
  readonly about: string
  /** How the names of its settings begin. */
  readonly names: readonly string[]
}

/** The address of the page of an area, below that of the administration. */
export const settingsPath = (word: string): string => `/application_settings/${word}`

/** What is in no other area is in the last one. */
export const settingsAreas: readonly SettingsArea[] = [
  {
    title: 'General',
    word: 'general',
    about: 'Who sees what, what new people may do, and where sign-in leads.',
    names: [
      'default_group_visibility',
      'default_project_visibility',
      'default_projects_limit',
      'restricted_visibility',
      'can_create_group',
      'user_default',
      'after_sign',
      'home_page',
      'session',
      'notify_on',
      'import_sources',
      'reencode_avatars',
    ],
  },
  {
    title: 'Tokens',
    word: 'tokens',
    about: 'How long access tokens are valid, and how they begin.',
    names: ['max_personal_access', 'personal_access', 'require_personal', 'impersonation'],
  },
  {
    title: 'CI/CD',
    word: 'ci_cd',
    about: 'Runners, pipelines, artifacts and job tokens.',
    names: [
      'ci_',
      'allow_runner',
      'group_runner',
      'project_runner',
      'runner_',
      'valid_runner',
      'default_artifacts',
      'max_artifacts',
      'keep_latest',
      'enforce_ci',
      'pipeline_',
      'project_ci',
    ],
  },
  {
    title: 'Repository',
    word: 'repository',
    about: 'Branches, pushes, Git LFS, storages and their moves.',
    names: [
      'default_branch',
      'lfs_',
      'max_lfs',
      'receive_max',
      'repository_',
      'push_event',
      'snippet_',
      'wiki_',
    ],
  },
  {
    title: 'Packages',
    word: 'packages',
    about: 'Packages, images, and the virtual registries that keep those of others.',
    names: ['packages_', 'generic_packages', 'maven_', 'npm_', 'pypi_', 'container_'],
  },
  {
    title: 'Network',
    word: 'network',
    about: 'How much a caller may ask for, and where requests of the server may go.',
    names: [
      'throttle_',
      'failed_auth',
      'rate_limiting',
      'search_rate',
      'notes_create',
      'issues_create',
      'error_tracking_events',
      'error_tracking_backlog',
      'allow_local',
      'outbound_local',
      'offset_pagination',
      'max_project_webhooks',
      'max_group_webhooks',
      'max_system_webhooks',
    ],
  },
  {
    title: 'Spam',
    word: 'reporting',
    about: 'What looks at what people write before others see it.',
    names: ['spam_', 'recaptcha'],
  },
  {
    title: 'Retention and sizes',
    word: 'preferences',
    about: 'How long things are kept, how large they may be, and what is in no other place.',
    names: [''],
  },
]

/** The area of a setting. */
export const areaOf = (name: string): SettingsArea | undefined =>
  settingsAreas.find(({ names }) => names.some((start) => name.startsWith(start)))
