import { Type } from 'typebox'
import { MAX_AVATAR } from '#identity/avatars/read-avatar.ts'
import { refusedParameter } from '#platform/http/later.ts'
import { orderParameters, pageParameters } from '#platform/http/order.ts'
import {
  count,
  file,
  flag,
  hash,
  idOrPath,
  integer,
  MAX_INT4,
  moment,
  nullable,
  oldNullable,
  oneOf,
  rules,
  text,
} from '#platform/http/schema.ts'
import { availabilities } from './profile.ts'
import { userOrder } from './queries.ts'
import { clearings } from './set-status.ts'

export const ByUser = Type.Object({ id: integer({ description: 'The id of a user.' }) })
export const ByIdentity = Type.Object({
  ...ByUser.properties,
  provider: text({ description: 'The identity provider.' }),
})
export const ByUserOrName = Type.Object({
  id_or_username: idOrPath({ max: 255, description: 'The id or username of a user.' }),
})

const attributes = Type.Boolean({
  default: false,
  description: 'Adds custom attributes, for administrators.',
})
const narrowing = (description: string) => Type.Optional(flag({ description }))
const forAdministrators = (description: string) => `${description} Only for administrators.`

export const DisplayParameters = Type.Object({ with_custom_attributes: attributes })

const filter = {
  ...orderParameters(userOrder),
  search: Type.Optional(text({ description: 'Part of a name or username, or a whole e-mail address.' })),
  username: Type.Optional(text({ description: 'The whole username, in upper or lower case.' })),
  public_email: Type.Optional(text({ description: 'The whole public e-mail address.' })),
  active: narrowing('Only active users.'),
  blocked: narrowing('Only blocked users.'),
  humans: narrowing('Only people: no bots, no internal users.'),
  external: narrowing('Only external users.'),
  exclude_active: narrowing('No active users.'),
  exclude_external: narrowing('No external users.'),
  exclude_humans: narrowing('Only bots and internal users.'),
  exclude_internal: narrowing('No internal users.'),
  without_project_bots: narrowing('No users of project and group access tokens.'),
  saml_provider_id: Type.Optional(integer({ description: 'Users of this SAML provider.' })),
  skip_ldap: narrowing('No users of LDAP. There are none.'),
  created_after: Type.Optional(moment({ description: forAdministrators('Created at this time or later.') })),
  created_before: Type.Optional(
    moment({ description: forAdministrators('Created at this time or earlier.') }),
  ),
  extern_uid: Type.Optional(
    text({ max: 255, description: forAdministrators('The id at an identity provider.') }),
  ),
  provider: Type.Optional(text({ max: 255, description: forAdministrators('That identity provider.') })),
  two_factor: Type.Optional(
    oneOf(['enabled', 'disabled'], { description: forAdministrators('By two-factor authentication.') }),
  ),
  admins: narrowing(forAdministrators('Only administrators.')),
  auditors: narrowing(forAdministrators('Only auditors.')),
  without_projects: narrowing(forAdministrators('Only users without any project.')),
  with_custom_attributes: attributes,
  custom_attributes: Type.Optional(hash(text(), { description: forAdministrators('By custom attributes.') })),
}

export const Filter = Type.Object(filter, rules({ allOrNoneOf: ['provider', 'extern_uid'] }))

const said = (max: number) => Type.Optional(nullable(text({ max })))

const noMinutes = 'minutes of runners are not counted yet'

/** Parameters that need subsystems which do not exist yet. */
export const unsupportedParameters = {
  group_id_for_saml: 'groups have no SAML providers yet',
  auditor: 'there are no auditors yet',
  shared_runners_minutes_limit: noMinutes,
  extra_shared_runners_minutes_limit: noMinutes,
} as const

const optional = {
  admin: Type.Optional(flag()),
  external: Type.Optional(
    flag({
      description:
        'Whether the user sees nothing internal, and can create neither top-level groups nor personal projects.',
    }),
  ),
  bio: said(255),
  location: said(255),
  linkedin: said(500),
  twitter: said(500),
  discord: said(500),
  github: said(500),
  website_url: said(2048),
  organization: said(500),
  job_title: said(255),
  pronouns: said(50),
  public_email: Type.Optional(
    nullable(text({ description: 'An e-mail address of the user that everybody sees.' })),
  ),
  commit_email: Type.Optional(nullable(text({ description: 'An e-mail address of the user for commits.' }))),
  note: Type.Optional(nullable(text({ max: 65_535, description: 'Only administrators see it.' }))),
  projects_limit: Type.Optional(count({ description: 'The maximum number of personal projects.' })),
  can_create_group: Type.Optional(flag()),
  private_profile: Type.Optional(
    oldNullable(flag({ description: '`null` means `false`, and is deprecated: send `false`.' })),
  ),
  theme_id: Type.Optional(integer({ minimum: 1, maximum: MAX_INT4 })),
  color_scheme_id: Type.Optional(integer({ minimum: 1, maximum: MAX_INT4 })),
  view_diffs_file_by_file: Type.Optional(flag()),
  avatar: Type.Optional(nullable(file({ max: MAX_AVATAR, description: 'A blank value removes it.' }))),
  provider: Type.Optional(
    text({ max: 255, description: 'An identity provider, at which the user is `extern_uid`.' }),
  ),
  extern_uid: Type.Optional(text({ max: 255, description: 'The id of the user at the `provider`.' })),
  group_id_for_saml: Type.Optional(integer(refusedParameter(unsupportedParameters.group_id_for_saml))),
  auditor: Type.Optional(flag(refusedParameter(unsupportedParameters.auditor))),
  shared_runners_minutes_limit: Type.Optional(integer(refusedParameter(noMinutes))),
  extra_shared_runners_minutes_limit: Type.Optional(integer(refusedParameter(noMinutes))),
  organization_id: Type.Optional(integer()),
}

const passwords = {
  password: Type.Optional(text({ description: 'At least 8 characters.' })),
  reset_password: Type.Optional(
    flag({ description: 'The user has no password until they set one, by a link that they get by mail.' }),
  ),
  force_random_password: Type.Optional(
    flag({ description: 'The user has no password until somebody sets one.' }),
  ),
}

const email = text({ max: 254, filled: true })
const name = text({ max: 255, filled: true })
const username = text({ max: 255, filled: true })

export const NewUserParameters = Type.Object(
  {
    email,
    name,
    username,
    ...passwords,
    skip_confirmation: Type.Optional(
      flag({ description: 'Has no effect: addresses that administrators give count as confirmed.' }),
    ),
    ...optional,
  },
  rules({ atLeastOneOf: Object.keys(passwords) }),
)

export const UserChangesParameters = Type.Object({
  email: Type.Optional(email),
  name: Type.Optional(name),
  username: Type.Optional(username),
  ...passwords,
  skip_reconfirmation: Type.Optional(
    flag({
      description:
        'Whether a new `email` counts at once. Otherwise it does once its owner follows the link in a mail, where the instance sends mail.',
    }),
  ),
  ...optional,
})

const { bio, location, linkedin, twitter, discord, github, website_url, organization } = optional

/** What people change of their own account. */
export const OwnChangesParameters = Type.Object({
  name: Type.Optional(name),
  bio,
  location,
  linkedin,
  twitter,
  discord,
  github,
  website_url,
  organization,
  job_title: optional.job_title,
  pronouns: optional.pronouns,
  public_email: optional.public_email,
  commit_email: optional.commit_email,
  private_profile: Type.Optional(flag({ description: 'Whether others see your name alone.' })),
})

export const Deletion = Type.Object({
  hard_delete: Type.Boolean({
    default: false,
    description: 'Also deletes what the user wrote, and groups that nobody else owns.',
  }),
})

export const NewStatus = Type.Object({
  emoji: Type.Optional(nullable(text({ max: 255 }))),
  message: Type.Optional(nullable(text({ max: 100 }))),
  availability: Type.Optional(nullable(oneOf(availabilities))),
  clear_status_after: Type.Optional(nullable(oneOf(clearings))),
})

export const NewPreferences = Type.Object({
  view_diffs_file_by_file: flag({ description: 'Whether a diff shows one file at a time.' }),
  show_whitespace_in_diffs: flag(),
  pass_user_identities_to_ci_jwt: Type.Optional(flag()),
})

export const MembershipFilter = Type.Object({
  ...pageParameters,
  type: Type.Optional(oneOf(['Project', 'Namespace'])),
})

const secret = text({ max: 1_024, filled: true })

/** The form that changes one's own password. */
export const PasswordForm = Type.Object({
  current_password: secret,
  password: secret,
  password_confirmation: secret,
})
