import { Type, type Static, type TSchema } from 'typebox'
import {
  count,
  flag as anyFlag,
  hash,
  integer,
  list,
  MAX_INT4,
  nullable,
  oneOf,
  text,
} from '#platform/http/schema.ts'

/** One application setting. */
export interface Definition<S extends TSchema> {
  readonly schema: S
  readonly default: Static<S>
  /** One sentence for people. */
  readonly about: string
  /** Why nothing but the default can be set, for what does not exist yet; completes "cannot be changed: …". */
  readonly fixed?: string
}

function setting<const S extends TSchema>(
  schema: S,
  standard: Static<S>,
  about: string,
  more: Pick<Definition<S>, 'fixed'> = {},
): Definition<S> {
  return { schema, default: standard, about, ...more }
}

// The constructors of parameters, so that what a request may say and what a row may hold are one thing.
const flag = anyFlag()
const natural = count()
const positive = integer({ minimum: 1, maximum: MAX_INT4 })
/** Seconds; a timer lasts no longer than some weeks. */
const period = integer({ minimum: 1, maximum: 604_800 })
/** At most a hundred years. */
const days = integer({ minimum: 0, maximum: 36_525 })
const visibility = oneOf(['private', 'internal', 'public'])
const textOrNull = nullable(text({ max: 4096 }))

/** Every application setting, by the name the API gives it. A new setting is a line here and nothing else. */
export const definitions = {
  // People
  default_projects_limit: setting(natural, 100_000, 'How many personal projects a new user may have.'),
  can_create_group: setting(flag, true, 'Whether new users may create top-level groups.'),
  user_default_external: setting(flag, false, 'Whether new users are external: they see nothing internal.'),
  signup_enabled: setting(flag, false, 'Whether strangers may register themselves.', {
    fixed: 'people cannot register themselves yet',
  }),
  impersonation_enabled: setting(flag, true, 'Whether impersonation tokens work and can be made.'),
  gravatar_enabled: setting(flag, false, 'Whether avatars come from Gravatar when a user has none.'),
  reencode_avatars: setting(
    flag,
    false,
    'Whether avatars are made anew as small PNGs, instead of being kept as they are.',
  ),
  home_page_url: setting(textOrNull, null, 'Where visitors who are not signed in are sent.'),
  after_sign_out_path: setting(textOrNull, null, 'Where users are sent when they sign out.'),
  recaptcha_enabled: setting(flag, false, 'Whether suspicious actions ask for a CAPTCHA.', {
    fixed: 'nothing asks for a CAPTCHA yet',
  }),
  spam_check_endpoint_enabled: setting(flag, false, 'Whether an outside service judges what may be spam.', {
    fixed: 'nothing is checked for spam yet',
  }),

  session_expire_delay: setting(positive, 10_080, 'Minutes after which a session in a browser ends.'),

  // Groups and projects
  default_project_visibility: setting(visibility, 'private', 'Visibility of a project created without one.'),
  default_group_visibility: setting(visibility, 'private', 'Visibility of a group created without one.'),
  default_snippet_visibility: setting(visibility, 'private', 'Visibility of a snippet created without one.'),
  restricted_visibility_levels: setting(
    list(visibility),
    [],
    'Visibilities that only administrators may give.',
  ),
  default_branch_name: setting(
    textOrNull,
    null,
    'Name of the first branch of a new repository; null is main.',
  ),
  default_branch_protection: setting(
    integer({ minimum: 0, maximum: 4 }),
    2,
    'How far new default branches are protected: 0 not at all to 4 fully after the first push.',
  ),
  import_sources: setting(list(text({ max: 255 })), [], 'Where projects may be imported from.'),
  repository_storages_weighted: setting(
    hash(integer({ minimum: 0, maximum: 100 })),
    { default: 100 },
    'How new repositories are spread over the storages.',
  ),
  max_attachment_size: setting(positive, 100, 'Largest attachment, in megabytes.'),
  push_event_activities_limit: setting(
    natural,
    3,
    'Pushes that change more refs than this make one activity event.',
  ),
  push_event_hooks_limit: setting(
    natural,
    3,
    'Pushes that change more refs than this run no hooks for them.',
  ),
  container_registry_token_expire_delay: setting(positive, 5, 'Minutes for which a registry token works.'),
  terminal_max_session_time: setting(natural, 0, 'Longest terminal session in seconds; 0 is without limit.'),
  plantuml_enabled: setting(flag, false, 'Whether PlantUML diagrams are drawn.'),

  // Tokens
  require_personal_access_token_expiry: setting(flag, false, 'Whether a personal access token must expire.'),
  max_personal_access_token_lifetime: setting(
    nullable(integer({ minimum: 1, maximum: 400 })),
    365,
    'Longest life of an access token, in days; null is without limit.',
  ),
  personal_access_token_prefix: setting(
    Type.String({ maxLength: 20, pattern: '^[a-zA-Z0-9_+=/@:.-]*$' }),
    'glpat-',
    'What access tokens begin with.',
  ),

  // Limits
  notes_create_limit: setting(natural, 300, 'Notes a user may write per minute; 0 is without limit.'),
  issues_create_limit: setting(natural, 0, 'Issues a user may open per minute; 0 is without limit.'),
  failed_authentication_limit: setting(
    natural,
    300,
    'Wrong credentials an address may send per minute; 0 is without limit.',
  ),
  throttle_unauthenticated_api_enabled: setting(
    flag,
    false,
    'Whether requests without credentials are limited.',
  ),
  throttle_unauthenticated_api_requests_per_period: setting(
    positive,
    3600,
    'Requests in a period, per address.',
  ),
  throttle_unauthenticated_api_period_in_seconds: setting(period, 3600, 'Length of that period.'),
  throttle_authenticated_api_enabled: setting(flag, false, 'Whether requests with credentials are limited.'),
  throttle_authenticated_api_requests_per_period: setting(positive, 7200, 'Requests in a period, per user.'),
  throttle_authenticated_api_period_in_seconds: setting(period, 3600, 'Length of that period.'),
  rate_limiting_response_text: setting(textOrNull, null, 'Body of the answer to a limited request.'),
  offset_pagination_limit: setting(
    positive,
    50_000,
    'Largest offset where pages by key are offered instead.',
  ),

  // Keeping
  facts_retention_days: setting(
    days,
    365,
    'Days after which what was done is forgotten, a month at a time; 0 is never.',
  ),
  audit_events_retention_days: setting(
    days,
    1_095,
    'Days after which audit events are forgotten, a month at a time; 0 is never.',
  ),
}

type Definitions = typeof definitions

export type SettingName = keyof Definitions

/** The value of every setting. */
export type Settings = { readonly [Name in SettingName]: Static<Definitions[Name]['schema']> }
