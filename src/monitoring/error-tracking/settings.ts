import { integer, MAX_INT4 } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const errorTrackingSettings = {
  error_tracking_backlog_limit: setting(
    integer({ minimum: 1, maximum: MAX_INT4 }),
    100_000,
    'How many events of error tracking may wait to be grouped before the server lets in only some of those that come.',
  ),
  error_tracking_events_per_minute: setting(
    integer({ minimum: 0, maximum: MAX_INT4 }),
    0,
    'How many events of error tracking a project may send in a minute; 0 for no limit.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof errorTrackingSettings> {}
}
