import { count } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const secureFileSettings = {
  project_ci_secure_files: setting(
    count(),
    100,
    'The maximum number of secure files of a project; 0 means no limit.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof secureFileSettings> {}
}
