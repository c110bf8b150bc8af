import { Type } from 'typebox'
import { flag, integer, nullable } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const tokenSettings = {
  impersonation_enabled: setting(flag(), true, 'Whether impersonation tokens work and can be created.'),
  require_personal_access_token_expiry: setting(
    flag(),
    true,
    'Whether an access token must expire. If so, a rotated one lasts a week unless the request says otherwise.',
  ),
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
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof tokenSettings> {}
}
