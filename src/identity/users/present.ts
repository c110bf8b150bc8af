import type { Static } from 'typebox'
import type { Plan } from '#platform/access/route-access.ts'
import type { Viewer } from '#platform/access/viewer.ts'
import { html } from '#platform/http/html.ts'
import { iso, isoOrNull } from '#platform/http/time.ts'
import { takesSeat } from './billable-users.ts'
import { presentUserBasic } from './basic.ts'
import type { UserAdmin, UserPreferences, UserPublic, UserSelf, UserStatus } from './entity.ts'
import { preferencesOf, profileOf, statusOf } from './profile.ts'
import type { UserRow } from './queries.ts'

/** @param site where the web pages live: `req.site`. */
export function presentUserPublic(row: UserRow, viewer: Viewer, site: string): UserPublic {
  const profile = profileOf(row.profile)
  const open = (!row.private_profile && row.state === 'active') || viewer.admin || viewer.id === row.id
  return {
    ...presentUserBasic(row, site),
    ...(open ? { created_at: iso(row.created_at) } : {}),
    bio: profile.bio ?? '',
    location: profile.location ?? null,
    linkedin: profile.linkedin ?? '',
    twitter: profile.twitter ?? '',
    discord: profile.discord ?? '',
    website_url: profile.website_url ?? '',
    github: profile.github ?? '',
    job_title: profile.job_title ?? '',
    pronouns: profile.pronouns ?? null,
    organization: profile.organization ?? '',
    bot: row.kind === 'bot',
    work_information: workOf(profile),
    ...(open ? { followers: 0, following: 0 } : {}),
    ...(open && viewer.id !== null ? { is_followed: false } : {}),
    local_time: null,
  }
}

function workOf({ job_title, organization }: { job_title?: string | null; organization?: string | null }) {
  const parts = [job_title, organization].filter((part) => part !== undefined && part !== null && part !== '')
  return parts.length === 0 ? null : parts.join(' at ')
}

/** Presents an account to its owner. */
export function presentUserSelf(row: UserRow, site: string): UserSelf {
  const { theme_id = 1, color_scheme_id = 1 } = preferencesOf(row.preferences)
  return {
    ...presentUserPublic(
      row,
      { id: row.id, admin: false, external: row.external, today: '', closed: [] },
      site,
    ),
    last_sign_in_at: isoOrNull(row.last_sign_in_at),
    confirmed_at: isoOrNull(row.confirmed_at),
    last_activity_on: row.last_activity_on,
    email: row.email,
    theme_id,
    color_scheme_id,
    projects_limit: row.projects_limit,
    current_sign_in_at: isoOrNull(row.current_sign_in_at),
    identities: row.identities.map((identity) => ({ ...identity, saml_provider_id: null })),
    can_create_group: row.can_create_group,
    can_create_project: row.can_create_project,
    two_factor_enabled: false,
    external: row.external,
    private_profile: row.private_profile,
    commit_email: row.commit_email ?? row.email,
    preferred_language: 'en',
    shared_runners_minutes_limit: null,
    extra_shared_runners_minutes_limit: null,
    scim_identities: [],
  }
}

/** What an administrator's view of an account depends on. */
interface AdminView {
  readonly site: string
  readonly viewer: Pick<Viewer, 'today'>
  readonly server: { readonly services: { readonly currentPlan: () => Plan } }
}

/** Presents an account to administrators. */
export function presentUserAdmin(row: UserRow, { site, viewer, server }: AdminView): UserAdmin {
  return {
    ...presentUserSelf(row, site),
    is_admin: row.admin,
    note: row.note,
    namespace_id: row.namespace_id,
    created_by: row.created_by && presentUserBasic(row.created_by, site),
    email_reset_offered_at: null,
    using_license_seat: takesSeat(row, server.services.currentPlan(), viewer.today),
    is_auditor: false,
    provisioned_by_group_id: null,
    enterprise_group_id: null,
    enterprise_group_associated_at: null,
    current_sign_in_ip: null,
    last_sign_in_ip: null,
    plan: null,
    trial: null,
    sign_in_count: row.sign_in_count,
  }
}

/** @param now ISO 8601: an expired status counts as none. */
export function presentStatus(row: Pick<UserRow, 'status'>, now: string): Static<typeof UserStatus> {
  const stored = statusOf(row.status)
  const over = typeof stored.clear_status_at === 'string' && stored.clear_status_at <= now
  const {
    emoji = null,
    message = null,
    availability = 'not_set',
    clear_status_at = null,
  } = over ? {} : stored
  const message_html = message === null ? null : html`${message}`.text
  return { emoji, message, availability, message_html, clear_status_at }
}

export function presentPreferences(row: Pick<UserRow, 'id' | 'preferences'>): Static<typeof UserPreferences> {
  const {
    view_diffs_file_by_file = false,
    show_whitespace_in_diffs = true,
    pass_user_identities_to_ci_jwt = false,
  } = preferencesOf(row.preferences)
  return {
    id: row.id,
    user_id: row.id,
    view_diffs_file_by_file,
    show_whitespace_in_diffs,
    pass_user_identities_to_ci_jwt,
  }
}
