import type { Visibility } from '#platform/db/schema.ts'
import { list, oneOf } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const namespaceSettings = {
  restricted_visibility_levels: setting(
    list(oneOf<Visibility>(['private', 'internal', 'public'])),
    [],
    'Visibilities that only administrators may choose.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof namespaceSettings> {}
}
