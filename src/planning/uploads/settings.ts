import { count } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const uploadSettings = {
  // Everybody who is signed in may upload to what is public, so there is a limit by default.
  uploads_max_project_size: setting(
    count(),
    10_240,
    'What the uploads of a project or group may take together, in megabytes; 0 means no limit.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof uploadSettings> {}
}
