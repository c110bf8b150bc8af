import type { Feature } from '#platform/feature.ts'
import { deployments } from './deployments/index.ts'
import { environments } from './environments/index.ts'
import { freezePeriods } from './freeze-periods/index.ts'
import { protectedEnvironments } from './protected-environments/index.ts'
import { releases } from './releases/index.ts'

/** Where what was made goes, and who has to agree first. */
export const delivery: readonly Feature[] = [
  environments,
  deployments,
  freezePeriods,
  protectedEnvironments,
  releases,
]
