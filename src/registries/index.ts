import type { Feature } from '#platform/feature.ts'

/** Registries of packages and images. */
export const registries: readonly Feature[] = []
