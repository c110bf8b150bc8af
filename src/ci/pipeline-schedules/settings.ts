import { count, integer } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const scheduleSettings = {
  ci_pipeline_schedules: setting(
    count(),
    10,
    'The maximum number of pipeline schedules of a project; 0 means no limit.',
  ),
  // Pipelines read all of them at once, so there is always a limit.
  ci_pipeline_schedule_variables: setting(
    integer({ minimum: 1, maximum: 1000 }),
    100,
    'The maximum number of variables of a pipeline schedule.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof scheduleSettings> {}
}
