import { setting, type ValuesOf } from '#platform/settings/definitions.ts'
import { count, flag, integer, MAX_INT4, nullable, text } from './schema.ts'

const positive = integer({ minimum: 1, maximum: MAX_INT4 })
/** Seconds, at most a week: timers last no longer than some weeks. */
const period = integer({ minimum: 1, maximum: 604_800 })

export const httpSettings = {
  failed_authentication_limit: setting(
    count(),
    300,
    'Wrong credentials that an address may send per minute; 0 means no limit.',
  ),
  throttle_unauthenticated_api_enabled: setting(
    flag(),
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
  throttle_authenticated_api_enabled: setting(
    flag(),
    false,
    'Whether requests with credentials are limited.',
  ),
  throttle_authenticated_api_requests_per_period: setting(positive, 7200, 'Requests in a period, per user.'),
  throttle_authenticated_api_period_in_seconds: setting(
    period,
    3600,
    'The length of that period, in seconds.',
  ),
  rate_limiting_response_text: setting(
    nullable(text({ max: 4096 })),
    null,
    'The text of the answer to a refused request.',
  ),
  offset_pagination_limit: setting(positive, 50_000, 'The maximum offset of a list.'),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof httpSettings> {}
}
