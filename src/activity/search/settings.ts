import { count, list, text } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const searchSettings = {
  search_rate_limit: setting(count(), 300, 'Searches that a user may make per minute; 0 means no limit.'),
  search_rate_limit_allowlist: setting(
    list(text({ max: 255 }), { max: 1000 }),
    [],
    'The usernames of those whom `search_rate_limit` does not limit.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof searchSettings> {}
}
