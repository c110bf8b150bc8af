import { type Static, Type } from 'typebox'
import { day, entity, integer, moment, nullable } from '#platform/http/schema.ts'
import { UserBasic } from './basic.ts'

/** A user's profile. For private profiles and blocked users, others do not get the optional fields. */
export const UserPublic = entity('UserPublic', {
  ...UserBasic.properties,
  created_at: Type.Optional(moment()),
  bio: Type.String(),
  location: nullable(Type.String()),
  linkedin: Type.String(),
  twitter: Type.String(),
  discord: Type.String(),
  website_url: Type.String(),
  github: Type.String(),
  job_title: Type.String(),
  pronouns: nullable(Type.String()),
  organization: Type.String(),
  bot: Type.Boolean(),
  work_information: nullable(Type.String()),
  followers: Type.Optional(integer()),
  following: Type.Optional(integer()),
  is_followed: Type.Optional(Type.Boolean()),
  local_time: nullable(Type.String()),
})

/** A user's own view of their account. */
export const UserSelf = entity('UserSelf', {
  ...UserPublic.properties,
  last_sign_in_at: nullable(moment()),
  confirmed_at: nullable(moment()),
  last_activity_on: nullable(day()),
  email: Type.String(),
  theme_id: nullable(integer()),
  color_scheme_id: integer(),
  projects_limit: integer(),
  current_sign_in_at: nullable(moment()),
  identities: Type.Array(
    Type.Object({
      provider: Type.String(),
      extern_uid: Type.String(),
      saml_provider_id: nullable(integer()),
    }),
    { description: 'The ids of the user at identity providers.' },
  ),
  can_create_group: Type.Boolean(),
  can_create_project: Type.Boolean(),
  two_factor_enabled: Type.Boolean(),
  external: Type.Boolean(),
  private_profile: Type.Boolean(),
  commit_email: Type.String(),
  preferred_language: nullable(Type.String()),
  shared_runners_minutes_limit: nullable(integer()),
  extra_shared_runners_minutes_limit: nullable(integer()),
  scim_identities: Type.Array(
    Type.Object({ extern_uid: Type.String(), group_id: integer(), active: Type.Boolean() }),
  ),
})

/** Fields that only administrators see. */
const administrative = {
  is_admin: Type.Boolean(),
  note: nullable(Type.String()),
  namespace_id: nullable(integer()),
  created_by: nullable(UserBasic),
  email_reset_offered_at: nullable(moment()),
  using_license_seat: Type.Boolean(),
  is_auditor: Type.Boolean(),
  provisioned_by_group_id: nullable(integer()),
  enterprise_group_id: nullable(integer()),
  enterprise_group_associated_at: nullable(moment()),
  current_sign_in_ip: nullable(Type.String()),
  last_sign_in_ip: nullable(Type.String()),
  plan: nullable(Type.String()),
  trial: nullable(Type.Boolean()),
  sign_in_count: integer(),
}

export const UserAdmin = entity('UserAdmin', { ...UserSelf.properties, ...administrative })

const custom_attributes = Type.Optional(
  Type.Array(Type.Object({ key: Type.String(), value: Type.String() }), {
    description: 'With `with_custom_attributes`, for administrators.',
  }),
)

/** Answers that depend on the caller: public fields for everybody, the rest for administrators or the user. */
export const UserOfMine = entity('UserOfMine', {
  ...Type.Partial(UserAdmin).properties,
  ...UserSelf.properties,
})
export const UserShown = entity('UserShown', {
  ...Type.Partial(UserAdmin).properties,
  ...UserPublic.properties,
  custom_attributes,
})
export const UserListed = entity('UserListed', {
  ...Type.Partial(UserAdmin).properties,
  ...UserBasic.properties,
  custom_attributes,
})

export const UserStatus = entity('UserStatus', {
  emoji: nullable(Type.String()),
  message: nullable(Type.String()),
  availability: Type.String(),
  message_html: nullable(Type.String()),
  clear_status_at: nullable(moment()),
})

export const UserPreferences = entity('UserPreferences', {
  id: integer(),
  user_id: integer(),
  view_diffs_file_by_file: Type.Boolean(),
  show_whitespace_in_diffs: Type.Boolean(),
  pass_user_identities_to_ci_jwt: Type.Boolean(),
})

/** Counts of what waits for the caller. */
export const UserCounts = entity('UserCounts', {
  merge_requests: integer(),
  assigned_issues: integer(),
  assigned_merge_requests: integer(),
  review_requested_merge_requests: integer(),
  todos: integer(),
})

export const AssociationsCount = entity('AssociationsCount', {
  groups_count: integer(),
  projects_count: integer(),
  issues_count: integer(),
  merge_requests_count: integer(),
})

export const Membership = entity('Membership', {
  source_id: integer(),
  source_name: Type.String(),
  source_type: Type.String({ enum: ['Project', 'Namespace'] }),
  access_level: integer(),
})

export type UserPublic = Static<typeof UserPublic>
export type UserSelf = Static<typeof UserSelf>
export type UserAdmin = Static<typeof UserAdmin>
