import type { Feature } from '#platform/feature.ts'
import { containerRegistry } from './container-registry/index.ts'
import { oci } from './oci/index.ts'
import { virtualRegistries } from './virtual-registries/index.ts'

/** Registries of packages and images. */
export const registries: readonly Feature[] = [oci, containerRegistry, virtualRegistries]
