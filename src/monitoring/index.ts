import type { Feature } from '#platform/feature.ts'

/** What running programs report: alerts and errors. */
export const monitoring: readonly Feature[] = []
