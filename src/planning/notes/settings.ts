import { count, list, text } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const noteSettings = {
  notes_create_limit: setting(count(), 300, 'Notes that a user may write per minute; 0 means no limit.'),
  notes_create_limit_allowlist: setting(
    list(text({ max: 255 }), { max: 1000 }),
    [],
    'The usernames of those whom `notes_create_limit` does not limit.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof noteSettings> {}
}
