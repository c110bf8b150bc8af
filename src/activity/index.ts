import type { Feature } from '#platform/feature.ts'
import { events } from './events/index.ts'
import { webhooks } from './hooks/index.ts'

/** What people and programs learn of what happens: feeds, notifications, webhooks. */
export const activity: readonly Feature[] = [events, webhooks]
