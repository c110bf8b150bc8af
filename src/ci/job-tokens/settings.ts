import { flag } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const jobTokenSettings = {
  enforce_ci_inbound_job_token_scope_enabled: setting(
    flag(),
    true,
    'Whether the job tokens of other projects reach a project only by its allow-list, whatever the project says.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof jobTokenSettings> {}
}
