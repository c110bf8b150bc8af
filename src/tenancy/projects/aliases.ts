import { type Static, Type } from 'typebox'
import { flag } from '#platform/http/schema.ts'
import {
  completed,
  ExpirationPolicy,
  type PresentedSettings,
  type ProjectSettings,
  type StoredSettings,
} from './project-settings.ts'

/** Older, boolean names of access levels. Answers have both, and a change to either changes both. */
export const enabledAliases = {
  issues_enabled: 'issues_access_level',
  merge_requests_enabled: 'merge_requests_access_level',
  wiki_enabled: 'wiki_access_level',
  jobs_enabled: 'builds_access_level',
  snippets_enabled: 'snippets_access_level',
  container_registry_enabled: 'container_registry_access_level',
  packages_enabled: 'package_registry_access_level',
} as const

const older = Type.Optional(Type.Boolean({ deprecated: true }))

/** Parameters that are other names for settings. */
export const aliasParameters = {
  issues_enabled: older,
  merge_requests_enabled: older,
  wiki_enabled: older,
  jobs_enabled: older,
  snippets_enabled: older,
  container_registry_enabled: older,
  packages_enabled: older,
  emails_disabled: older,
  public_builds: older,
  restrict_user_defined_variables: older,
  container_expiration_policy_attributes: Type.Optional(
    Type.Object({
      cadence: Type.Optional(ExpirationPolicy.properties.cadence),
      enabled: Type.Optional(flag()),
      keep_n: Type.Optional(ExpirationPolicy.properties.keep_n),
      older_than: Type.Optional(ExpirationPolicy.properties.older_than),
      name_regex: Type.Optional(ExpirationPolicy.properties.name_regex),
      name_regex_keep: Type.Optional(ExpirationPolicy.properties.name_regex_keep),
    }),
  ),
}

const aliases = Type.Object(aliasParameters)
export type RequestedSettings = StoredSettings & Static<typeof aliases>

/**
 * The settings after a change. A setting's own name wins over its older one. An older name that already has the given
 * value changes nothing: `issues_enabled: true` does not open issues that are for members only.
 */
export function changedSettings(stored: StoredSettings, given: RequestedSettings): StoredSettings {
  const before = completed(stored)
  const { emails_disabled, public_builds, restrict_user_defined_variables: restrict } = given
  const changed: { -readonly [Name in keyof ProjectSettings]?: ProjectSettings[Name] } = { ...stored }
  for (const [older, level] of twinEntries) {
    const enabled = given[older]
    if (enabled === undefined || enabled === (before[level] !== 'disabled')) continue
    changed[level] = enabled ? 'enabled' : 'disabled'
  }
  if (emails_disabled !== undefined) changed.emails_enabled = !emails_disabled
  if (public_builds !== undefined) changed.public_jobs = public_builds
  if (restrict !== undefined && restrict !== restricts(before)) {
    changed.ci_pipeline_variables_minimum_override_role = restrict ? 'maintainer' : 'developer'
  }
  const policy = given.container_expiration_policy_attributes
  if (policy) changed.container_expiration_policy = { ...before.container_expiration_policy, ...policy }
  return { ...changed, ...given }
}

type Twin = keyof typeof enabledAliases
const twinEntries = Object.entries(enabledAliases).filter(
  (entry): entry is [Twin, (typeof enabledAliases)[Twin]] => Object.hasOwn(enabledAliases, entry[0]),
)

/** The values of the older names for these settings. */
export function olderNames(settings: PresentedSettings) {
  const enabled = (alias: Twin) => settings[enabledAliases[alias]] !== 'disabled'
  return {
    issues_enabled: enabled('issues_enabled'),
    merge_requests_enabled: enabled('merge_requests_enabled'),
    wiki_enabled: enabled('wiki_enabled'),
    jobs_enabled: enabled('jobs_enabled'),
    snippets_enabled: enabled('snippets_enabled'),
    container_registry_enabled: enabled('container_registry_enabled'),
    packages_enabled: enabled('packages_enabled'),
    emails_disabled: !settings.emails_enabled,
  }
}

/**
 * Whether anything restricts pipeline variables. One value stands for no restriction: everybody who may run pipelines
 * may set their variables.
 */
export function restricts(
  settings: Pick<ProjectSettings, 'ci_pipeline_variables_minimum_override_role'>,
): boolean {
  return settings.ci_pipeline_variables_minimum_override_role !== 'developer'
}
