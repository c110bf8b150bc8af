import { count } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const exportSettings = {
  max_export_size: setting(count(), 0, 'The maximum size of an export, in megabytes; 0 means no limit.'),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof exportSettings> {}
}
