import type { Feature } from '#platform/feature.ts'
import { virtualRegistries } from './virtual-registries/index.ts'

/** Registries of packages and images. */
export const registries: readonly Feature[] = [virtualRegistries]
