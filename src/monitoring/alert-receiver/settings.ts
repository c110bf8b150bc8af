import { flag, integer, MAX_INT4 } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const alertReceiverSettings = {
  throttle_incident_management_notification_enabled: setting(
    flag(),
    false,
    'Whether the payloads of alerts that a project receives are limited.',
  ),
  throttle_incident_management_notification_per_period: setting(
    integer({ minimum: 1, maximum: MAX_INT4 }),
    3600,
    'How many payloads of alerts a project receives in a period.',
  ),
  throttle_incident_management_notification_period_in_seconds: setting(
    integer({ minimum: 1, maximum: MAX_INT4 }),
    3600,
    'How many seconds that period has.',
  ),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof alertReceiverSettings> {}
}
