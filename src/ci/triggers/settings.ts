import { count } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const triggerSettings = {
  pipeline_triggers: setting(
    count(),
    25_000,
    'The maximum number of pipeline triggers of a project; 0 means no limit.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof triggerSettings> {}
}
