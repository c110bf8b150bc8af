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
  /** Why only the default can be set, for what does not exist yet; completes "cannot be changed: …". */
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

// The same constructors as for parameters, so that requests and rows follow the same rules.
const flag = anyFlag()
const natural = count()
const positive = integer({ minimum: 1, maximum: MAX_INT4 })
/** Seconds, at most a week: timers last no longer than some weeks. */
const period = integer({ minimum: 1, maximum: 604_800 })
/** At most a hundred years. */
const days = integer({ minimum: 0, maximum: 36_525 })
const visibility = oneOf(['private', 'internal', 'public'])
const textOrNull = nullable(text({ max: 4096 }))

/** Every application setting, by the name the API gives it. A new setting is a line here and nothing else. */
export const definitions = {
  // People
  default_projects_limit: setting(natural, 100_000, 'The maximum number of personal projects of a new user.'),
  can_create_group: setting(flag, true, 'Whether new users may create top-level groups.'),
  user_default_external: setting(flag, false, 'Whether new users are external: they see nothing internal.'),
  signup_enabled: setting(flag, false, 'Whether people may register themselves.', {
    fixed: 'people cannot register themselves yet',
  }),
  impersonation_enabled: setting(flag, true, 'Whether impersonation tokens work and can be created.'),
  gravatar_enabled: setting(flag, false, 'Whether users without an avatar get one from Gravatar.'),
  reencode_avatars: setting(
    flag,
    false,
    'Whether the server re-encodes new avatars as small PNGs instead of storing them unchanged.',
  ),
  home_page_url: setting(textOrNull, null, 'Where `/` sends people who are not signed in.'),
  after_sign_out_path: setting(textOrNull, null, 'Where people go after they sign out.'),
  recaptcha_enabled: setting(flag, false, 'Whether suspicious actions need a CAPTCHA.', {
    fixed: 'nothing asks for a CAPTCHA yet',
  }),
  spam_check_endpoint_enabled: setting(flag, false, 'Whether an external service checks for spam.', {
    fixed: 'nothing is checked for spam yet',
  }),

  session_expire_delay: setting(positive, 10_080, 'Minutes until a browser session expires.'),

  // Groups and projects
  default_project_visibility: setting(visibility, 'private', 'The default visibility of projects.'),
  default_group_visibility: setting(visibility, 'private', 'The default visibility of groups.'),
  default_snippet_visibility: setting(visibility, 'private', 'The default visibility of snippets.'),
  restricted_visibility_levels: setting(
    list(visibility),
    [],
    'Visibilities that only administrators may choose.',
  ),
  default_branch_name: setting(
    textOrNull,
    null,
    'The name of the first branch of a new repository; null means main.',
  ),
  default_branch_protection: setting(
    integer({ minimum: 0, maximum: 4 }),
    2,
    'How new default branches are protected: from 0 (not at all) to 4 (fully after the first push).',
  ),
  import_sources: setting(list(text({ max: 255 })), [], 'The sources from which projects may be imported.'),
  repository_storages_weighted: setting(
    hash(integer({ minimum: 0, maximum: 100 })),
    { default: 100 },
    'How new repositories are distributed over the storages.',
  ),
  max_attachment_size: setting(positive, 100, 'The maximum size of an attachment, in megabytes.'),
  push_event_activities_limit: setting(
    natural,
    3,
    'A push that changes more refs than this creates one activity event.',
  ),
  push_event_hooks_limit: setting(
    natural,
    3,
    'A push that changes more refs than this runs no hooks for them.',
  ),
  container_registry_token_expire_delay: setting(positive, 5, 'Minutes until a registry token expires.'),
  terminal_max_session_time: setting(
    natural,
    0,
    'The maximum length of a terminal session, in seconds; 0 means no limit.',
  ),
  plantuml_enabled: setting(flag, false, 'Whether PlantUML diagrams are rendered.'),

  // Tokens
  require_personal_access_token_expiry: setting(flag, false, 'Whether a personal access token must expire.'),
  max_personal_access_token_lifetime: setting(
    nullable(integer({ minimum: 1, maximum: 400 })),
    365,
    'The maximum lifetime of an access token, in days; null means no limit.',
  ),
  personal_access_token_prefix: setting(
    Type.String({ maxLength: 20, pattern: '^[a-zA-Z0-9_+=/@:.-]*$' }),
    'glpat-',
    'The prefix of access tokens.',
  ),

  // Limits
  notes_create_limit: setting(natural, 300, 'Notes that a user may write per minute; 0 means no limit.'),
  issues_create_limit: setting(natural, 0, 'Issues that a user may open per minute; 0 means no limit.'),
  failed_authentication_limit: setting(
    natural,
    300,
    'Wrong credentials that an address may send per minute; 0 means no limit.',
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
  throttle_unauthenticated_api_period_in_seconds: setting(
    period,
    3600,
    'The length of that period, in seconds.',
  ),
  throttle_authenticated_api_enabled: setting(flag, false, 'Whether requests with credentials are limited.'),
  throttle_authenticated_api_requests_per_period: setting(positive, 7200, 'Requests in a period, per user.'),
  throttle_authenticated_api_period_in_seconds: setting(
    period,
    3600,
    'The length of that period, in seconds.',
  ),
  rate_limiting_response_text: setting(textOrNull, null, 'The text of the answer to a refused request.'),
  offset_pagination_limit: setting(positive, 50_000, 'The maximum offset of a list.'),

  // Keeping
  facts_retention_days: setting(
    days,
    365,
    'Days until domain events are removed, a month at a time; 0 means never.',
  ),
  audit_events_retention_days: setting(
    days,
    1_095,
    'Days until audit events are removed, a month at a time; 0 means never.',
  ),
}

type Definitions = typeof definitions

export type SettingName = keyof Definitions

/** The value of every setting. */
export type Settings = { readonly [Name in SettingName]: Static<Definitions[Name]['schema']> }
