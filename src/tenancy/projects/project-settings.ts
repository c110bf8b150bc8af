import { type Static, type TSchema, Type } from 'typebox'
import {
  type ProjectFeature,
  type ProjectFeatureLevel,
  projectFeatures,
} from '#platform/access/project-features.ts'
import { only } from '#platform/only.ts'
import { count, flag, integer, list, MAX_INT4, nullable, oneOf, text } from '#platform/http/schema.ts'

/** A project setting: its allowed values and its default. */
export interface ProjectSetting<S extends TSchema> {
  readonly schema: S
  readonly default: Static<S>
}

const setting = <const S extends TSchema>(schema: S, standard: Static<S>): ProjectSetting<S> => ({
  schema,
  default: standard,
})

const on = setting(flag(), true)
const off = setting(flag(), false)
const offUnlessSet = setting(nullable(flag()), null)
const words = setting(nullable(text({ max: 65_535 })), null)
const line = setting(nullable(text({ max: 255 })), null)

const feature = (name: ProjectFeature) =>
  setting(oneOf<ProjectFeatureLevel>(['disabled', 'private', 'enabled']), projectFeatures[name])
const publicFeature = (name: ProjectFeature) =>
  setting(oneOf<ProjectFeatureLevel>(['disabled', 'private', 'enabled', 'public']), projectFeatures[name])

/** How pipelines run: answers have these for those who may change them. */
export const forMaintainers = {
  build_git_strategy: setting(oneOf(['fetch', 'clone']), 'fetch'),
  build_timeout: setting(integer({ minimum: 600, maximum: 2_678_400 }), 3600),
  auto_cancel_pending_pipelines: setting(oneOf(['enabled', 'disabled']), 'enabled'),
  auto_devops_enabled: off,
  auto_devops_deploy_strategy: setting(oneOf(['continuous', 'manual', 'timed_incremental']), 'continuous'),
  ci_default_git_depth: setting(nullable(integer({ minimum: 0, maximum: 1000 })), 20),
  ci_delete_pipelines_in_seconds: setting(nullable(integer({ minimum: 86_400, maximum: 31_536_000 })), null),
  ci_forward_deployment_enabled: on,
  ci_forward_deployment_rollback_allowed: on,
  ci_allow_fork_pipelines_to_run_in_parent_project: on,
  ci_separated_caches: on,
  ci_id_token_sub_claim_components: setting(list(text({ max: 255 })), ['project_path', 'ref_type', 'ref']),
  ci_pipeline_variables_minimum_override_role: setting(
    oneOf(['no_one_allowed', 'developer', 'maintainer', 'owner']),
    'developer',
  ),
  ci_push_repository_for_job_token_allowed: off,
  ci_restrict_pipeline_cancellation_role: setting(oneOf(['developer', 'maintainer', 'no_one']), 'developer'),
  keep_latest_artifact: on,
  resource_group_default_process_mode: setting(
    oneOf(['unordered', 'oldest_first', 'newest_first', 'newest_ready_first']),
    'unordered',
  ),
  group_runners_enabled: on,
}

/**
 * The settings of a project that only `projects.settings` stores. To add one, write a line here: the parameters of POST
 * and PUT and the fields of the answers come from these.
 */
export const forEverybody = {
  // Project features that can be closed; platform/access/project-feature-rules.ts has their defaults.
  issues_access_level: feature('issues'),
  repository_access_level: feature('repository'),
  merge_requests_access_level: feature('merge_requests'),
  forking_access_level: feature('forking'),
  wiki_access_level: feature('wiki'),
  builds_access_level: feature('builds'),
  snippets_access_level: feature('snippets'),
  pages_access_level: publicFeature('pages'),
  analytics_access_level: feature('analytics'),
  container_registry_access_level: feature('container_registry'),
  security_and_compliance_access_level: feature('security_and_compliance'),
  releases_access_level: feature('releases'),
  environments_access_level: feature('environments'),
  feature_flags_access_level: feature('feature_flags'),
  infrastructure_access_level: feature('infrastructure'),
  monitor_access_level: feature('monitor'),
  model_experiments_access_level: feature('model_experiments'),
  model_registry_access_level: feature('model_registry'),
  package_registry_access_level: publicFeature('package_registry'),
  requirements_access_level: feature('requirements'),

  // People and mail
  emails_enabled: on,
  show_diff_preview_in_email: on,
  request_access_enabled: on,
  service_desk_enabled: off,
  enforce_auth_checks_on_uploads: on,
  warn_about_potentially_unwanted_characters: on,
  external_authorization_classification_label: line,

  // Repository
  lfs_enabled: on,
  repository_object_format: setting(oneOf(['sha1', 'sha256']), 'sha1'),
  web_based_commit_signing_enabled: off,

  // Issues and merge requests
  issues_template: words,
  merge_requests_template: words,
  issue_branch_template: line,
  autoclose_referenced_issues: on,
  resolve_outdated_diff_discussions: off,
  merge_method: setting(oneOf(['merge', 'rebase_merge', 'ff']), 'merge'),
  squash_option: setting(oneOf(['never', 'always', 'default_on', 'default_off']), 'default_off'),
  merge_request_title_regex: line,
  merge_request_title_regex_description: line,
  suggestion_commit_message: line,
  merge_commit_template: setting(nullable(text({ max: 500 })), null),
  squash_commit_template: setting(nullable(text({ max: 500 })), null),
  remove_source_branch_after_merge: setting(nullable(flag()), true),
  printing_merge_request_link_enabled: on,
  mr_default_target_self: off,
  only_allow_merge_if_pipeline_succeeds: off,
  only_allow_merge_if_all_discussions_are_resolved: setting(nullable(flag()), false),
  only_allow_merge_if_all_status_checks_passed: setting(nullable(flag()), false),
  allow_merge_on_skipped_pipeline: offUnlessSet,
  approvals_before_merge: setting(count(), 0),
  merge_pipelines_enabled: setting(nullable(flag()), false),
  merge_trains_enabled: setting(nullable(flag()), false),
  merge_trains_skip_train_allowed: setting(nullable(flag()), false),
  prevent_merge_without_jira_issue: setting(nullable(flag()), false),

  // Pipelines
  ci_config_path: line,
  allow_pipeline_trigger_approve_deployment: off,
  max_artifacts_size: setting(nullable(count()), null),
  public_jobs: on,
  shared_runners_enabled: on,
}

export const presentedSettingSchemas = { ...forEverybody, ...forMaintainers }

/** Settings that are accepted and stored, but not among the fields of a project. */
export const settingsWithoutField = {
  /** Set by the first push; an empty repository shows the instance's default branch. */
  default_branch: line,
  show_default_award_emojis: on,
  auto_duo_code_review_enabled: offUnlessSet,
  duo_remote_flows_enabled: offUnlessSet,
  spp_repository_pipeline_access: offUnlessSet,
  fallback_approvals_required: setting(nullable(count()), null),
  only_mirror_protected_branches: offUnlessSet,
  mirror_branch_regex: line,
  mirror_overwrites_diverged_branches: offUnlessSet,
  mirror_trigger_builds: offUnlessSet,
  mirror_user_id: setting(nullable(integer({ minimum: 1 })), null),
}

/** Settings that have routes of their own. */
const settingsWithRoutes = { ci_inbound_job_token_scope_enabled: on }

export const ExpirationPolicy = Type.Object({
  cadence: oneOf(['1d', '7d', '14d', '1month', '3month']),
  enabled: flag(),
  keep_n: nullable(integer({ minimum: 1, maximum: MAX_INT4 })),
  older_than: nullable(oneOf(['7d', '14d', '30d', '60d', '90d'])),
  name_regex: nullable(text({ max: 255 })),
  name_regex_keep: nullable(text({ max: 255 })),
})

const standardPolicy: Static<typeof ExpirationPolicy> = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
}

const presented = { ...forEverybody, container_expiration_policy: setting(ExpirationPolicy, standardPolicy) }
const definitions = { ...presented, ...forMaintainers, ...settingsWithoutField, ...settingsWithRoutes }

type Definitions = Readonly<Record<string, ProjectSetting<TSchema>>>
export type ValuesOf<D extends Definitions> = { [Name in keyof D]: Static<D[Name]['schema']> }
export type ProjectSettings = ValuesOf<typeof definitions>
/** Those that everybody sees among the fields of a project. */
export type PresentedSettings = ValuesOf<typeof presented>
/** The stored settings: only those that differ from the defaults. */
export type StoredSettings = Partial<ProjectSettings>

/** The schemas of settings by name, each transformed by `make`. */
export function schemasOf(
  settings: Readonly<Record<string, { readonly schema: TSchema }>>,
  make: (schema: TSchema) => TSchema = (schema) => schema,
): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(settings).map(([name, { schema }]) => [name, make(schema)]))
}

const byName: ReadonlyMap<string, ProjectSetting<TSchema>> = new Map(Object.entries(definitions))
const defaults = defaultsOf(definitions)
const presentedDefaults = defaultsOf(presented)
const maintainersDefaults = defaultsOf(forMaintainers)

function defaultsOf<D extends Definitions>(settings: D): ValuesOf<D> {
  const values: unknown = Object.fromEntries(
    Object.entries(settings).map(([name, one]) => [name, one.default]),
  )
  if (!hasAll(settings, values)) throw new Error('A setting lacks its default')
  return values
}

function hasAll<D extends Definitions>(settings: D, values: unknown): values is ValuesOf<D> {
  return (
    typeof values === 'object' && values !== null && Object.keys(settings).every((name) => name in values)
  )
}

/** All settings of a project: the stored ones and the defaults. */
export function completed(stored: StoredSettings): ProjectSettings {
  return { ...defaults, ...stored }
}

/** The settings that a project shows: the stored ones and the defaults. */
export function presentedSettings(stored: StoredSettings): PresentedSettings {
  return { ...presentedDefaults, ...only(stored, presented) }
}

/** The settings that a project shows to maintainers besides. */
export function settingsForMaintainers(stored: StoredSettings): ValuesOf<typeof forMaintainers> {
  return { ...maintainersDefaults, ...only(stored, forMaintainers) }
}

/** The JSON to store: known settings that differ from their defaults. */
export function storable(settings: StoredSettings): string {
  const different = Object.entries(settings).filter(([name, value]) => {
    const known = byName.get(name)
    return known !== undefined && JSON.stringify(value) !== JSON.stringify(known.default)
  })
  return JSON.stringify(Object.fromEntries(different))
}
