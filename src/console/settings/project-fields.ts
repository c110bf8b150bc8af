import { type EitherProject } from '#tenancy/projects/entity.ts'
import type { Field } from '../frame/fields.ts'

/** Some settings that are saved together. */
export interface SettingsGroup {
  /** What its form does: `save-general`. */
  readonly does: string
  readonly title: string
  /** What it is for, in a sentence. */
  readonly about: string
  readonly fields: (project: EitherProject) => readonly Field[]
  /** Fields of which nothing is kept where they are empty. */
  readonly nullable?: readonly string[]
}

const forWhom = [
  { value: 'disabled', label: 'Nobody: it is off' },
  { value: 'private', label: 'Members' },
  { value: 'enabled', label: 'Everybody who may see the project' },
]

/** Features that can be closed, with what they are called. */
const features = {
  issues_access_level: 'Issues',
  repository_access_level: 'Code',
  merge_requests_access_level: 'Merge requests',
  forking_access_level: 'Forks',
  builds_access_level: 'Pipelines',
  wiki_access_level: 'Wiki',
  snippets_access_level: 'Snippets',
  releases_access_level: 'Releases',
  environments_access_level: 'Environments',
  package_registry_access_level: 'Packages',
  container_registry_access_level: 'Images',
  monitor_access_level: 'Alerts and errors',
} as const

const featureNames = Object.keys(features).filter((name): name is keyof typeof features =>
  Object.hasOwn(features, name),
)

const check = (name: keyof EitherProject, label: string, hint?: string) => (of: EitherProject) =>
  ({ name, label, hint, is: 'check', value: of[name] === true }) as const

const pipelineMustSucceed = check(
  'only_allow_merge_if_pipeline_succeeds',
  'Merged only if the pipeline has succeeded',
)
const skippedIsGood = check(
  'allow_merge_on_skipped_pipeline',
  'A pipeline that was skipped counts as succeeded',
)
const threadsMustBeResolved = check(
  'only_allow_merge_if_all_discussions_are_resolved',
  'Merged only if all threads are resolved',
)
const branchGoes = check('remove_source_branch_after_merge', 'Offer to delete the branch after it is merged')
const outdatedAreResolved = check(
  'resolve_outdated_diff_discussions',
  'A push resolves threads on lines that it changes',
)
const linkIsPrinted = check(
  'printing_merge_request_link_enabled',
  'Tell who pushes a branch where a merge request is opened',
)

/** What maintainers decide of a project, each group in a form of its own. */
export const settingsGroups: readonly SettingsGroup[] = [
  {
    does: 'save-general',
    title: 'Name and description',
    about: 'How people find the project, and which branch they see first.',
    fields: (project) => [
      { name: 'name', label: 'Name', value: project.name, required: true },
      { name: 'description', label: 'Description', is: 'lines', value: project.description },
      {
        name: 'topics',
        label: 'Topics',
        hint: 'With commas between them.',
        value: project.topics.join(', '),
      },
      ...(project.default_branch === null
        ? []
        : [
            {
              name: 'default_branch',
              label: 'Default branch',
              hint: 'Clones check it out, and merge requests go there.',
              value: project.default_branch,
              required: true,
            },
          ]),
    ],
  },
  {
    does: 'save-features',
    title: 'Features',
    about: 'Who may use what the project has.',
    fields: (project) => [
      ...featureNames.map((name): Field => ({
        name,
        label: features[name],
        is: 'choice',
        value: project[name],
        options:
          name === 'package_registry_access_level'
            ? [...forWhom, { value: 'public', label: 'Everybody, whoever may see the project' }]
            : forWhom,
      })),
      check('lfs_enabled', 'Large files (Git LFS)')(project),
      check('request_access_enabled', 'People may ask for access')(project),
      check('emails_enabled', 'The project sends mail')(project),
    ],
  },
  {
    does: 'save-merging',
    title: 'Merge requests',
    about: 'How changes are merged, and what must be true before.',
    fields: (project) => [
      {
        name: 'merge_method',
        label: 'Merging makes',
        is: 'choice',
        value: project.merge_method,
        options: [
          { value: 'merge', label: 'A merge commit' },
          {
            value: 'rebase_merge',
            label: 'A merge commit, after a rebase where the branch has fallen behind',
          },
          { value: 'ff', label: 'No merge commit: fast-forward alone' },
        ],
      },
      {
        name: 'squash_option',
        label: 'Commits are squashed into one',
        is: 'choice',
        value: project.squash_option,
        options: [
          { value: 'never', label: 'Never' },
          { value: 'default_off', label: 'If somebody asks for it' },
          { value: 'default_on', label: 'Unless somebody asks not to' },
          { value: 'always', label: 'Always' },
        ],
      },
      pipelineMustSucceed(project),
      skippedIsGood(project),
      threadsMustBeResolved(project),
      outdatedAreResolved(project),
      branchGoes(project),
      linkIsPrinted(project),
      {
        name: 'merge_commit_template',
        label: 'Message of merge commits',
        hint: 'With placeholders such as %{title}. Empty: the usual one.',
        is: 'lines',
        value: project.merge_commit_template,
      },
      {
        name: 'squash_commit_template',
        label: 'Message of squashed commits',
        hint: 'The same.',
        is: 'lines',
        value: project.squash_commit_template,
      },
    ],
    nullable: ['merge_commit_template', 'squash_commit_template'],
  },
]
