import { parseRange } from '#platform/http/addresses.ts'
import { invalid } from '#platform/refusals.ts'
import { refuseLater } from '#platform/http/later.ts'
import type { GroupSettings } from './group-settings.ts'

const noDownloads = 'downloads of projects are not counted yet'
const noLdap = 'there is no LDAP yet'
const projectsDecide = 'each project says itself what merging takes'

/** Settings that promise protection or access that Forgelet cannot provide yet. */
const later = {
  require_two_factor_authentication: 'there is no second factor yet',
  unique_project_download_limit: noDownloads,
  auto_ban_user_on_excessive_projects_download: noDownloads,
  ldap_cn: noLdap,
  ldap_access: noLdap,
  only_allow_merge_if_all_discussions_are_resolved: projectsDecide,
  only_allow_merge_if_pipeline_succeeds: projectsDecide,
  step_up_auth_required_oauth_provider: 'nobody signs in a second time',
}

/**
 * Reads the settings that restrict access to a group, and refuses those that Forgelet cannot enforce.
 * @throws 400 for an invalid list of ranges or domains, and for settings of what does not exist yet
 */
export function checkAccessSettings(settings: Partial<GroupSettings>): Partial<GroupSettings> {
  refuseLater(settings, later)
  const { ip_restriction_ranges: ranges, allowed_email_domains_list: domains } = settings
  return {
    ...settings,
    ...(ranges === undefined ? {} : { ip_restriction_ranges: listOf('ip_restriction_ranges', ranges) }),
    ...(domains === undefined
      ? {}
      : { allowed_email_domains_list: listOf('allowed_email_domains_list', domains) }),
  }
}

const DOMAIN = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z0-9-]{2,63}$/

const kinds = {
  ip_restriction_ranges: {
    isEntry: (text: string) => parseRange(text) !== undefined,
    needed: 'an address or a range such as 10.0.0.0/8',
  },
  allowed_email_domains_list: {
    isEntry: (text: string) => text.length <= 253 && DOMAIN.test(text),
    needed: 'a domain such as example.com',
  },
} as const

/** The comma-separated entries, trimmed and in lower case; null for none. */
function listOf(name: keyof typeof kinds, text: string | null): string | null {
  const entries = (text ?? '').split(',').map((entry) => entry.trim().toLowerCase())
  const filled = entries.filter((entry) => entry !== '')
  const { isEntry, needed } = kinds[name]
  const wrong = filled.find((entry) => !isEntry(entry))
  if (wrong !== undefined) throw invalid({ [name]: [`has "${wrong.slice(0, 60)}", which is not ${needed}`] })
  return filled.length === 0 ? null : filled.join(',')
}
