import { count } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const noteSettings = {
  notes_create_limit: setting(count(), 300, 'Notes that a user may write per minute; 0 means no limit.'),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof noteSettings> {}
}
