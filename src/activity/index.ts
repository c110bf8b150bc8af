import type { Feature } from '#platform/feature.ts'
import { events } from './events/index.ts'
import { webhooks } from './hooks/index.ts'
import { notifications } from './notifications/index.ts'
import { search } from './search/index.ts'
import { notificationSettings } from './notification-settings/index.ts'

/** What people and programs learn of what happens and what there is: feeds, notifications, webhooks, searches. */
export const activity: readonly Feature[] = [events, notificationSettings, notifications, search, webhooks]
