import type { Feature } from '#platform/feature.ts'
import { events } from './events/index.ts'
import { webhooks } from './hooks/index.ts'
import { notifications } from './notifications/index.ts'
import { notificationSettings } from './notification-settings/index.ts'

/** What people and programs learn of what happens: feeds, notifications, webhooks. */
export const activity: readonly Feature[] = [events, notificationSettings, notifications, webhooks]
