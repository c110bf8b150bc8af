import { type Static, Type } from 'typebox'
import type { Json } from '#platform/db/schema.ts'
import { only } from '#platform/only.ts'
import { count, flag, hash, integer, list, nullable, oneOf, text } from '#platform/http/schema.ts'
import { BranchProtection, protectionOf } from './branch-protection.ts'

/**
 * The settings of a group that are mere values. `namespaces.settings` stores those that differ from the defaults below,
 * whether or not something acts on them yet. To add one, write a line in one of the three lists and one in the
 * defaults. access-settings.ts reads those that restrict access.
 */

/** Shown in every answer that has groups. */
export const PresentedSettings = Type.Object({
  share_with_group_lock: flag({ description: 'Whether projects below cannot be shared with other groups.' }),
  require_two_factor_authentication: flag(),
  two_factor_grace_period: count({ description: 'Hours until a second factor is required.' }),
  project_creation_level: oneOf(['noone', 'owner', 'maintainer', 'developer', 'administrator'], {
    description: 'The lowest role that may create projects here.',
  }),
  auto_devops_enabled: nullable(flag()),
  subgroup_creation_level: oneOf(['owner', 'maintainer'], {
    description: 'The lowest role that may create subgroups.',
  }),
  emails_enabled: flag(),
  show_diff_preview_in_email: flag(),
  mentions_disabled: nullable(flag()),
  lfs_enabled: flag({ description: 'Kept: each project decides for itself.' }),
  math_rendering_limits_enabled: flag(),
  lock_math_rendering_limits_enabled: flag(),
  default_branch: nullable(text({ max: 255 })),
  default_branch_protection_defaults: BranchProtection,
  request_access_enabled: flag(),
  shared_runners_setting: oneOf(['enabled', 'disabled_and_overridable', 'disabled_and_unoverridable']),
  max_artifacts_size: nullable(count({ description: 'In megabytes.' })),
  ldap_cn: nullable(text({ max: 255 })),
  ldap_access: nullable(integer()),
  wiki_access_level: oneOf(['disabled', 'private', 'enabled']),
})

/** Shown in the answer for one group. */
export const DetailSettings = Type.Object({
  enabled_git_access_protocol: oneOf(['ssh', 'http', 'all']),
  prevent_sharing_groups_outside_hierarchy: flag(),
  shared_runners_minutes_limit: nullable(count()),
  extra_shared_runners_minutes_limit: nullable(count()),
  prevent_forking_outside_group: nullable(flag()),
  membership_lock: flag({ description: 'Whether nobody can be added to projects below.' }),
  service_access_tokens_expiration_enforced: flag(),
})

/** Shown to owners and administrators in the answer for one group: they decide who gets in. */
export const OwnerSettings = Type.Object({
  ip_restriction_ranges: nullable(
    text({
      max: 4096,
      description:
        'Addresses and ranges, with commas. For requests from others, the group and everything in it do not exist.',
    }),
  ),
  allowed_email_domains_list: nullable(
    text({
      max: 4096,
      description: 'Domains, with commas. Only people with an e-mail address there can become members.',
    }),
  ),
})

/** Stored here, but shown by other areas. */
export const UnpresentedSettings = Type.Object({
  file_template_project_id: nullable(integer()),
  unique_project_download_limit: count(),
  unique_project_download_limit_interval_in_seconds: count(),
  unique_project_download_limit_allowlist: list(text({ max: 255 })),
  unique_project_download_limit_alertlist: list(integer()),
  auto_ban_user_on_excessive_projects_download: flag(),
  web_based_commit_signing_enabled: flag(),
  experiment_features_enabled: flag(),
  model_prompt_cache_enabled: flag(),
  duo_availability: oneOf(['default_on', 'default_off', 'never_on']),
  duo_features_enabled: flag(),
  lock_duo_features_enabled: flag(),
  duo_core_features_enabled: nullable(flag()),
  duo_remote_flows_availability: flag(),
  auto_duo_code_review_enabled: nullable(flag()),
  amazon_q_auto_review_enabled: flag(),
  ai_settings_attributes: hash(text({ max: 4096 })),
  allow_personal_snippets: flag(),
  crm_enabled: flag(),
  crm_source_group_id: nullable(integer()),
  allow_merge_on_skipped_pipeline: flag(),
  only_allow_merge_if_all_discussions_are_resolved: flag(),
  only_allow_merge_if_pipeline_succeeds: flag(),
  step_up_auth_required_oauth_provider: nullable(text({ max: 255 })),
})

/** Only administrators change these: they limit the use of the instance's resources. */
export const administratorSettings = [
  'shared_runners_minutes_limit',
  'extra_shared_runners_minutes_limit',
] as const

export type GroupSettings = Static<typeof PresentedSettings> &
  Static<typeof DetailSettings> &
  Static<typeof OwnerSettings> &
  Static<typeof UnpresentedSettings>

export const defaultSettings: GroupSettings = {
  share_with_group_lock: false,
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  project_creation_level: 'developer',
  auto_devops_enabled: null,
  subgroup_creation_level: 'maintainer',
  emails_enabled: true,
  show_diff_preview_in_email: true,
  mentions_disabled: null,
  lfs_enabled: true,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
  default_branch: null,
  default_branch_protection_defaults: protectionOf(2),
  request_access_enabled: true,
  shared_runners_setting: 'enabled',
  max_artifacts_size: null,
  ldap_cn: null,
  ldap_access: null,
  wiki_access_level: 'enabled',
  enabled_git_access_protocol: 'all',
  prevent_sharing_groups_outside_hierarchy: false,
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  prevent_forking_outside_group: null,
  membership_lock: false,
  ip_restriction_ranges: null,
  allowed_email_domains_list: null,
  service_access_tokens_expiration_enforced: true,
  file_template_project_id: null,
  unique_project_download_limit: 0,
  unique_project_download_limit_interval_in_seconds: 0,
  unique_project_download_limit_allowlist: [],
  unique_project_download_limit_alertlist: [],
  auto_ban_user_on_excessive_projects_download: false,
  web_based_commit_signing_enabled: false,
  experiment_features_enabled: false,
  model_prompt_cache_enabled: false,
  duo_availability: 'default_on',
  duo_features_enabled: true,
  lock_duo_features_enabled: false,
  duo_core_features_enabled: null,
  duo_remote_flows_availability: false,
  auto_duo_code_review_enabled: null,
  amazon_q_auto_review_enabled: false,
  ai_settings_attributes: {},
  allow_personal_snippets: true,
  crm_enabled: false,
  crm_source_group_id: null,
  allow_merge_on_skipped_pipeline: false,
  only_allow_merge_if_all_discussions_are_resolved: false,
  only_allow_merge_if_pipeline_succeeds: false,
  step_up_auth_required_oauth_provider: null,
}

/** All settings: the stored ones and the defaults. */
export function settingsOf(stored: Json): GroupSettings {
  return isStored(stored) ? { ...defaultSettings, ...stored } : defaultSettings
}

/** Some of the settings, by the names of a schema: the stored ones and the defaults. */
function partOf<Names extends object>(names: Names) {
  const defaults = only(defaultSettings, names)
  return (stored: Json) => ({ ...defaults, ...only(isStored(stored) ? stored : {}, names) })
}

export const presentedSettingsOf = partOf(PresentedSettings.properties)
export const detailSettings = partOf(DetailSettings.properties)
export const ownerSettings = partOf(OwnerSettings.properties)

/** Only {@link settingsToStore} writes these values, after the schemas above have checked them. */
function isStored(value: Json): value is Partial<GroupSettings> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The new content of the column after these changes; unknown names are left out. */
export function settingsToStore(stored: Json, changes: Partial<GroupSettings>): string {
  const defaults = new Map<string, unknown>(Object.entries(defaultSettings))
  const all = Object.entries({ ...settingsOf(stored), ...changes })
  const differing = all.filter(
    ([name, value]) =>
      value !== undefined &&
      defaults.has(name) &&
      JSON.stringify(value) !== JSON.stringify(defaults.get(name)),
  )
  return JSON.stringify(Object.fromEntries(differing))
}
