import type { Feature } from '#platform/feature.ts'

/** Where what was made goes, and who has to agree first. */
export const delivery: readonly Feature[] = []
