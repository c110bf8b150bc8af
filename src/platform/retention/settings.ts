import { integer } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

/** At most a hundred years. */
const days = integer({ minimum: 0, maximum: 36_525 })

export const retentionSettings = {
  facts_retention_days: setting(
    days,
    365,
    'Days until domain events are removed, a month at a time; 0 means never.',
  ),
  audit_events_retention_days: setting(
    days,
    1_095,
    'Days until audit events are removed, a month at a time; 0 means never.',
  ),
  events_retention_days: setting(
    days,
    1_095,
    'Days until activity events are removed, a month at a time; 0 means never.',
  ),
  error_events_retention_days: setting(
    days,
    90,
    'Days until events of error tracking, and their counts by hour, are removed, a month at a time; 0 means never.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof retentionSettings> {}
}
