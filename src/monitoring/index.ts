import type { Feature } from '#platform/feature.ts'
import { errorTracking } from './error-tracking/index.ts'

/** What running programs report: alerts and errors. */
export const monitoring: readonly Feature[] = [errorTracking]
