import { count } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const issueSettings = {
  issues_create_limit: setting(count(), 0, 'Issues that a user may open per minute; 0 means no limit.'),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof issueSettings> {}
}
