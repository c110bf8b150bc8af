import { count, integer } from '#platform/http/schema.ts'
import { setting, type ValuesOf } from '#platform/settings/definitions.ts'

export const hookSettings = {
  webhook_logs_retention_days: setting(
    integer({ minimum: 1, maximum: 365 }),
    7,
    'Days until what webhooks sent, and what came back, is removed.',
  ),
  push_event_hooks_limit: setting(
    count(),
    3,
    'A push that changes more refs than this runs no hooks for them.',
  ),
  max_project_webhooks: setting(count(), 100, 'The maximum number of webhooks of a project.'),
  max_group_webhooks: setting(count(), 50, 'The maximum number of webhooks of a group.'),
  max_system_webhooks: setting(count(), 100, 'The maximum number of webhooks of the instance.'),
}

declare module '#platform/settings/definitions.ts' {
  interface Settings extends ValuesOf<typeof hookSettings> {}
}
