import type { Feature } from '#platform/feature.ts'

/** What people and programs learn of what happens: feeds, notifications, webhooks. */
export const activity: readonly Feature[] = []
