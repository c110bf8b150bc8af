import type { Feature } from '#platform/feature.ts'
import { genericPackages } from './package-formats/generic/index.ts'
import { goModules } from './package-formats/go/index.ts'
import { npmPackages } from './package-formats/npm/index.ts'
import { mavenPackages } from './package-formats/maven/index.ts'
import { pypiPackages } from './package-formats/pypi/index.ts'
import { packages } from './packages/index.ts'
import { containerRegistry } from './container-registry/index.ts'
import { oci } from './oci/index.ts'
import { virtualRegistries } from './virtual-registries/index.ts'

/** Registries of packages and images. */
export const registries: readonly Feature[] = [
  oci,
  containerRegistry,
  virtualRegistries,
  packages,
  genericPackages,
  npmPackages,
  goModules,
  pypiPackages,
  mavenPackages,
]
