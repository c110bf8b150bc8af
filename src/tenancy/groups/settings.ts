import type { Visibility } from '#platform/db/schema.ts'
import { oneOf } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const groupSettings = {
  default_group_visibility: setting(
    oneOf<Visibility>(['private', 'internal', 'public']),
    'private',
    'The default visibility of groups.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof groupSettings> {}
}
